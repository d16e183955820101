-- match/like_names.sql - logs of which nothing so far says the job, and whose names are like that of one.
--
-- Letters may be of another size, and other signs may stand between words: "Llama_7B.log" is of job llama-7b. A job without a name has that
-- of its script, whose ending the log may lack: "pretrain.log" is of job pretrain.sh. A name of up to three letters must be all of the
-- file's or folder's: "gpt/train.log" is of job gpt.
--
-- A part of match.sql, which has made job_name(job, name): adds to candidate, and leaves to same_names.sql the names of several jobs.

CREATE TABLE like_word AS
SELECT DISTINCT w.file, w.level, replace(replace(replace(lower(w.words), '-', '_'), '.', '_'), ' ', '_') AS word, 0 AS is_whole
FROM run_of_words AS w WHERE w.file NOT IN (SELECT file FROM candidate) AND length(w.words) > 3
UNION
SELECT p.file, p.level, replace(replace(replace(lower(iif(p.level = 0
    AND p.name GLOB '?*.*', rtrim(rtrim(p.name, replace(p.name, '.', '')), '.'), p.name)), '-', '_'), '.', '_'), ' ', '_'), 1
FROM place AS p WHERE p.file NOT IN (SELECT file FROM candidate);
CREATE INDEX like_word_of ON like_word(word);
CREATE TABLE shared_name AS
WITH named AS MATERIALIZED (
  SELECT name AS own, replace(replace(replace(replace(lower(CASE
      WHEN name GLOB '?*.sh' OR name GLOB '?*.py' THEN substr(name, 1, length(name) - 3)
      WHEN name GLOB '?*.job' OR name GLOB '?*.sub' OR name GLOB '?*.pbs' OR name GLOB '?*.lsf' THEN substr(name, 1, length(name) - 4)
      WHEN name GLOB '?*.bash' OR name GLOB '?*.qsub' OR name GLOB '?*.bsub' THEN substr(name, 1, length(name) - 5)
      WHEN name GLOB '?*.slurm' THEN substr(name, 1, length(name) - 6)
      WHEN name GLOB '?*.sbatch' THEN substr(name, 1, length(name) - 7)
      ELSE name END), '-', '_'), '.', '_'), ' ', '_'), '/', '_') AS name
  FROM (SELECT DISTINCT name FROM job_name WHERE EXISTS (SELECT 1 FROM like_word))
)
SELECT name, job, length(name) > 3 AS is_long, count(*) OVER (PARTITION BY name) AS n
FROM (SELECT DISTINCT n.name, j.job
      FROM (SELECT * FROM named WHERE name IN (SELECT word FROM like_word)) AS n JOIN job_name AS j ON j.name = n.own);
CREATE TABLE like_match AS
SELECT DISTINCT w.file, w.level, n.name, n.n
FROM (SELECT DISTINCT name, is_long, n FROM shared_name) AS n CROSS JOIN like_word AS w ON w.word = n.name
WHERE n.is_long OR w.is_whole;
DROP TABLE like_word;
INSERT INTO candidate
SELECT m.file, s.job, CASE WHEN m.n > 1 THEN '' WHEN m.level = 0 THEN 'by its file''s name' ELSE 'by its folder''s name' END, 1,
       m.level * 1000 - length(m.name)
FROM like_match AS m CROSS JOIN shared_name AS s ON s.name = m.name WHERE m.file IN (SELECT file FROM like_match WHERE n = 1);
CREATE TABLE named_as AS SELECT file, name, level * 1000 - length(name) AS place
FROM like_match WHERE file NOT IN (SELECT file FROM like_match WHERE n = 1);
DROP TABLE like_match;
