-- match.sql - which job each trainer's log is of, by what the schedulers say of jobs.
--
-- Runs after the schedulers' scripts and before the trainers'. A log is of the job that its option `job` or its own
-- text names, else of the one whose output it is, or whose id, alias or unique name is in its file's name, or in its folder's.
-- A name of a host in the text, or of a pod as kubectl, stern, Loki and Google Cloud write it beside each line, counts only if it
-- is that of a job's pod; an id, which begins with a digit, always does. But a task of an array prints an id that the scheduler's export
-- may lack: then the array's id and the task's number count, in the text or in the file's name. A number of one or two digits counts only
-- where the name is that number or says that it is a job's: "slurm-7.out". Of the patterns below, those of two groups find an array's id
-- and a task's number, in any order, from the first of them on; or the first pod and the last one of another name: a log of several jobs'
-- pods is of none; or a cluster's name and an id in it.

--@ job (?s)(?=\bSLURM_ARRAY_(?:JOB|TASK)_ID\b)(*COMMIT)(?=.{0,9999}?\bSLURM_ARRAY_JOB_ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))(?=.{0,9999}?\bSLURM_ARRAY_TASK_ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))
--@ job (?s)(?=\bLSB_JOB(?:ID|INDEX)\b)(*COMMIT)(?=.{0,9999}?\bLSB_JOBID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))(?=.{0,9999}?\bLSB_JOBINDEX\b\\?["']?\s*[=:]\s*\\?["']?([1-9]\d*))
--@ job (?s)(?=\b(?:JOB_ID|SGE_TASK_ID)\b)(*COMMIT)(?=.{0,9999}?\bJOB_ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))(?=.{0,9999}?\bSGE_TASK_ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))
--@ job (?s)(?=\b(?:JOB_ID|SGE_TASK_ID)\b)(*COMMIT)(?=.{0,9999}?\bJOB_ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))(?=.{0,9999}?\bSGE_TASK_ID\b\\?["']?\s*[=:]\s*\\?["']?undefined)
--@ job (?s)(?=\bSLURM_(?:CLUSTER_NAME|JOB_?ID)\b)(*COMMIT)(?=.{0,9999}?\bSLURM_CLUSTER_NAME\b\\?["']?\s*[=:]\s*\\?["']?([A-Za-z][\w.-]*))(?=.{0,9999}?\bSLURM_JOB_?ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+))
--@ job \bSLURM_JOB_?ID\b\\?["']?\s*[=:]\s*\\?["']?(\d+(?:_\d+)?)
--@ job (?s)\A\s*\{.*?"slurm"\s*:\s*\{[^}]*?"job_?id"\s*:\s*"(\d+)"
--@ job (?s)\A\s*\{(?=.*"(?:startedAt|gpu_count|codePath)"\s*:)(?!.*"slurm"\s*:\s*\{[^}]*?"job_?id").*?"host"\s*:\s*"([A-Za-z][\w.-]*)"
--@ job \bFLUX_JOB_ID\b\\?["']?\s*[=:]\s*\\?["']?(?:[^\x00-\x7f]{1,2}|f)([1-9A-HJ-NP-Za-km-z]{2,12})\b
--@ job \bPBS_JOBID\b["']?\s*[=:]\s*["']?([\w.\[\]-]+)
--@ job (?m)^(?:\d+: )?(?:srun: job|salloc: Granted job allocation|slurmstepd: error: \*\*\* (?:JOB|STEP)) (\d+)\b
--@ job (?m)^Subject: Job (\d+(?:\[\d+\])?): <
--@ job \bLSB_JOBID\b["']?\s*[=:]\s*["']?(\d+)
--@ job (?sm)^\[pod/([a-z][a-z0-9.-]*)/[\w.-]+\]\s(*COMMIT)(?=.*^\[pod/(?!\1/)([a-z][a-z0-9.-]*)/)
--@ job (?s)[{,\s]"?pod(?:_name)?"?\s*[:=]\s*"([a-z][a-z0-9.-]*[a-z0-9])"(*COMMIT)(?=.*[{,\s]"?pod(?:_name)?"?\s*[:=]\s*"(?!\1")([a-z][a-z0-9.-]*[a-z0-9])")
--@ job (?sm)^([a-z][a-z0-9.]*-[a-z0-9.-]*[a-z0-9]) [a-z0-9][a-z0-9-]* [^\n](*COMMIT)(?=.*^(?!\1 )([a-z][a-z0-9.]*-[a-z0-9.-]*[a-z0-9]) [a-z0-9][a-z0-9-]* [^\n])
--@ job (?m)^\[pod/([a-z][a-z0-9.-]*)/[\w.-]+\]\s
--@ job \b(?:MY_)?POD_?NAME\b\\?["']?\s*[=:]\s*\\?["']?([a-z][a-z0-9.-]*[a-z0-9])
--@ job [{,\s]"?pod(?:_name)?"?\s*[:=]\s*"([a-z][a-z0-9.-]*[a-z0-9])"
--@ job \bHOSTNAME\b\\?["']?\s*[=:]\s*\\?["']?([a-z][a-z0-9.-]*[a-z0-9])
--@ job (?m)^([a-z][a-z0-9.]*-[a-z0-9.-]*[a-z0-9]) [a-z0-9][a-z0-9-]* [^\n]

-- Everything that a job goes by. Needed if there is a log to find the job of, or a native trace that may call a scheduler's job by
-- an alias. What a scheduler says comes before what others call jobs. What two jobs go by is of no use.
CREATE TABLE asked AS
SELECT 1 AS is_asked FROM file
WHERE (source IS NULL AND coalesce(format, said_job, said_task, json_extract(options, '$.job')) IS NOT NULL)
  OR source IN (SELECT source FROM source WHERE rank > 1)
LIMIT 1;
INSERT OR IGNORE INTO key SELECT job, job, 3 FROM asked CROSS JOIN all_jobs JOIN source USING (source) WHERE job IS NOT NULL AND rank = 1;
INSERT OR IGNORE INTO key
SELECT alias, min(job), 2 FROM asked CROSS JOIN all_aliases JOIN source USING (source)
WHERE alias NOT GLOB '>*' AND alias <> '' AND rank = 1 GROUP BY alias HAVING count(DISTINCT job) = 1;
INSERT OR IGNORE INTO key
SELECT job, job, 3 FROM asked CROSS JOIN (SELECT job FROM all_jobs
                                          UNION ALL SELECT job FROM all_allocations JOIN source USING (source) WHERE rank = 2)
WHERE job IS NOT NULL;
CREATE TABLE job_name AS -- LSF's name of an array has its elements: "sweep[1-2]"
SELECT job, iif(name GLOB '?*[[]*]'
                AND source IN (SELECT source FROM source WHERE format = 'lsf'), substr(name, 1, instr(name, '[') - 1), name) AS name
FROM asked CROSS JOIN all_jobs WHERE length(name) > 2;
CREATE INDEX job_name_of ON job_name(job);
INSERT OR IGNORE INTO key
SELECT name, min(job), 1 FROM job_name WHERE length(name) > 3 GROUP BY name HAVING count(DISTINCT job) = 1;
DROP TABLE asked;

.read sql/sources/match/places.sql
.read sql/sources/match/outputs.sql

-- The words of each name and every run of them, with what stands between: "slurm-123_4.out" has 123, 4 and 123_4.
CREATE INDEX place_of ON place(file, level);
CREATE TABLE run_of_words(file INTEGER, level INTEGER, words TEXT, before TEXT, alone INTEGER);
INSERT INTO run_of_words
WITH RECURSIVE edge(file, level, name, at, was, is_word) AS (
  SELECT file, level, name, 1, 0, substr(name, 1, 1) GLOB '[A-Za-z0-9]' FROM place
  UNION ALL
  SELECT file, level, name, at + 1, is_word, substr(name, at + 1, 1) GLOB '[A-Za-z0-9]' FROM edge WHERE at <= length(name)
),
begins AS (SELECT file, level, name, at, row_number() OVER (PARTITION BY file, level ORDER BY at) AS nth
           FROM edge WHERE is_word AND NOT was),
ends AS (SELECT file, level, at, row_number() OVER (PARTITION BY file, level ORDER BY at) AS nth FROM edge WHERE was AND NOT is_word)
SELECT b.file, b.level, substr(b.name, b.at, e.at - b.at),
       lower((SELECT substr(b.name, p.at, b.at - p.at) FROM begins AS p WHERE p.file = b.file AND p.level = b.level AND p.nth = b.nth - 1)),
       b.nth = 1 AND e.nth = 1
FROM begins AS b JOIN ends AS e ON e.file = b.file AND e.level = b.level AND e.nth BETWEEN b.nth AND b.nth + 11;
INSERT INTO run_of_words -- a name may begin or end with a letter beyond ASCII, or a sign: "llama (v2).out"
SELECT file, level, name, NULL, 0
FROM (SELECT file, level, name FROM place UNION SELECT file, level, rtrim(rtrim(name, replace(name, '.', '')), '.')
      FROM place WHERE name GLOB '*?.*')
WHERE name GLOB '*[^ -~]*' OR name GLOB '[^A-Za-z0-9]*' OR name GLOB '*[^A-Za-z0-9]' OR length(name) > 50; -- or have many words
.read sql/sources/match/no_ids.sql
INSERT INTO run_of_words SELECT w.file, w.level, w.words || ']', w.before, w.alone
FROM run_of_words AS w JOIN place AS p USING (file, level) WHERE w.words GLOB '*[[]*' AND instr(p.name, w.words || ']');

.read sql/sources/match/array_tasks.sql

-- An id that several clusters gave: if the log's name, folder, or one above, has a cluster's name or export, the job is that one's.
CREATE TABLE in_cluster(file INTEGER, id TEXT, job TEXT, PRIMARY KEY (file, id)) WITHOUT ROWID;
--@ if EXISTS (SELECT 1 FROM key WHERE job GLOB '*/*')
INSERT INTO in_cluster
WITH RECURSIVE above(file, level, folder) AS (
  SELECT file, 1, rtrim(path, replace(path, '/', '')) FROM file
  WHERE source IS NULL AND format IS NOT NULL
  UNION ALL
  SELECT file, level + 1, rtrim(rtrim(folder, '/'), replace(folder, '/', '')) FROM above WHERE level < 3
),
asked AS (
  SELECT file, words AS id, level FROM run_of_words WHERE words GLOB '[0-9]*' AND file IN (SELECT file FROM above)
  UNION SELECT f.file, i.value, 0 FROM file AS f, json_each(json_array(f.said_job, f.said_task)) AS i
  WHERE f.file IN (SELECT file FROM above) AND i.value GLOB '[0-9]*'
),
told AS (
  SELECT a.file, a.id, k.job, u.level
  FROM asked AS a CROSS JOIN above AS u ON u.file = a.file AND u.level > a.level CROSS JOIN key AS k ON k.key = u.folder || a.id
  UNION
  SELECT a.file, a.id, k.job, w.level
  FROM asked AS a CROSS JOIN run_of_words AS w ON w.file = a.file AND w.level >= a.level
  CROSS JOIN key AS k ON k.key = w.words || '/' || a.id
  WHERE w.words NOT IN (SELECT format FROM source) -- which clusters without a name are called by
)
SELECT file, id, min(job) FROM (SELECT *, rank() OVER (PARTITION BY file, id ORDER BY level) AS place FROM told)
WHERE place = 1 AND id NOT IN (SELECT key FROM key) GROUP BY file, id HAVING count(DISTINCT job) = 1;
--@ end

CREATE TABLE candidate(file INTEGER, job TEXT, how TEXT, strength INTEGER, place INTEGER);
--@ if EXISTS (SELECT 1 FROM file WHERE source IS NULL AND instr(options, '"job"'))
CREATE TABLE asked_name AS -- an option job that is the name of several jobs: which is meant the times of the log say
SELECT f.file, j.job
FROM (SELECT file, json_extract(options, '$.job') AS asked
      FROM file WHERE source IS NULL AND json_extract(options, '$.job') IS NOT NULL) AS f
JOIN all_jobs AS j ON j.name = asked JOIN source AS s ON s.source = j.source AND s.rank = 1 WHERE asked NOT IN (SELECT key FROM key);
INSERT INTO candidate SELECT DISTINCT file, job, 'by the option job', 9, 0 FROM asked_name;
UPDATE file SET options = json_remove(options, '$.job') WHERE file IN (SELECT file FROM asked_name);
DROP TABLE asked_name;
CREATE TABLE asked_in AS -- one that has its cluster before it, though no other cluster has its id
SELECT file, substr(asked, 1, instr(asked, '/') - 1) AS cluster, k.job
FROM (SELECT file, json_extract(options, '$.job') AS asked
      FROM file WHERE source IS NULL AND json_extract(options, '$.job') GLOB '?*/[0-9]*')
JOIN key AS k ON k.key = substr(asked, instr(asked, '/') + 1)
WHERE asked NOT IN (SELECT key FROM key);
UPDATE file SET options = json_set(options, '$.job', i.job)
FROM (SELECT DISTINCT i.file, i.job
      FROM asked_in AS i JOIN all_allocations AS a ON a.job = i.job AND a.pool || '/' LIKE i.cluster || '/%') AS i WHERE i.file = file.file;
DROP TABLE asked_in;
--@ end
INSERT INTO candidate
SELECT file, coalesce(k.job, asked), how, 9, 0
FROM (SELECT file, json_extract(options, '$.job') AS asked, coalesce(json_extract(inferred, '$.job'), 'by the option job') AS how
      FROM file WHERE source IS NULL) LEFT JOIN key AS k ON k.key = asked WHERE asked IS NOT NULL;
INSERT INTO candidate
SELECT l.file, j.job, 'by its job''s output', 2, -9000
FROM written_as AS l CROSS JOIN written_as AS j ON j.name = l.name AND j.job IS NOT NULL WHERE l.file IS NOT NULL AND l.jobs = 1;
INSERT INTO candidate
SELECT w.file, w.job, iif(w.level = 0, 'by its file''s name', 'by its folder''s name'), w.strength, w.level * 1000 - length(w.key)
FROM (SELECT w.*, k.key, k.job, k.strength FROM run_of_words AS w JOIN key AS k ON k.key = w.words
      UNION ALL SELECT w.*, i.id, i.job, 2 FROM in_cluster AS i JOIN run_of_words AS w ON w.file = i.file AND w.words = i.id) AS w
-- The name of an event file has its time and its process number beside its host's name.
WHERE NOT (w.level = 0 AND w.words NOT GLOB '*[A-Za-z]*'
           AND (SELECT path FROM file AS f WHERE f.file = w.file) GLOB '*events.out.tfevents.*')
  AND (w.words GLOB '*[^0-9]*' OR length(w.words) > 2 OR w.alone
   OR rtrim(w.before, '-_.=#') IN ('job', 'slurm', 'jobid', 'id', 'pbs', 'task'));
-- Flux writes an id, a number in listings, with 58 letters: "flux-f2oLkTLb.out".
--@ if EXISTS (SELECT 1 FROM source WHERE format = 'flux')
CREATE TABLE flux_id AS
WITH RECURSIVE word(word) AS MATERIALIZED (
  SELECT DISTINCT word FROM (SELECT words AS word FROM run_of_words
                             UNION ALL SELECT substr(words, 2)
                             FROM run_of_words WHERE words GLOB 'f?*' UNION ALL SELECT said_job FROM file WHERE source IS NULL)
  WHERE length(word) BETWEEN 2 AND 11 AND word NOT GLOB '*[^1-9A-HJ-NP-Za-km-z]*'
),
digit(word, nth, id) AS (
  SELECT word, 1, instr('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', substr(word, 1, 1)) - 1 FROM word
  UNION ALL
  SELECT word, nth + 1, id * 58 + instr('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', substr(word, nth + 1, 1)) - 1
  FROM digit WHERE nth < length(word)
)
SELECT word, k.job FROM digit JOIN key AS k ON k.key = CAST(id AS TEXT) WHERE nth = length(word) AND word NOT IN (SELECT key FROM key);
INSERT INTO candidate
SELECT w.file, i.job, iif(w.level = 0, 'by its file''s name', 'by its folder''s name'), 2, w.level * 1000 - length(w.words)
FROM flux_id AS i JOIN run_of_words AS w ON w.words IN (i.word, 'f' || i.word);
INSERT INTO candidate SELECT f.file, i.job, 'by its own text', 8, 0
FROM flux_id AS i JOIN file AS f ON f.said_job = i.word AND f.source IS NULL;
DROP TABLE flux_id;
--@ end
-- An id of several jobs, as of several clusters: the log's text, or its times, say which is meant.
CREATE TABLE shared_id AS
SELECT DISTINCT alias, job FROM all_aliases JOIN source USING (source)
WHERE rank = 1 AND alias GLOB '[0-9]*' AND alias NOT IN (SELECT key FROM key)
  AND alias IN (SELECT words FROM run_of_words UNION SELECT said_job
                FROM file WHERE source IS NULL UNION SELECT said_task FROM file WHERE source IS NULL);
--@ if EXISTS (SELECT 1 FROM file WHERE source IS NULL AND said_task GLOB '[A-Za-z]*_[0-9]*')
INSERT INTO candidate
SELECT f.file, k.job, 'by its own text', 8, 0 FROM file AS f
JOIN key AS k ON k.key = rtrim(rtrim(said_task, '0123456789'), '_') || '/' || substr(said_task, 1 + length(rtrim(said_task, '0123456789')))
WHERE source IS NULL AND said_task GLOB '[A-Za-z]*_[0-9]*';
INSERT INTO candidate -- of a cluster of which there is no export
SELECT file, cluster || '/' || substr(said_task, 1 + length(cluster || '_')), 'by its own text', 8, 0
FROM (SELECT file, said_task, rtrim(rtrim(said_task, '0123456789'), '_') AS cluster
      FROM file WHERE source IS NULL AND said_task GLOB '[A-Za-z]*_[0-9]*' AND file NOT IN (SELECT file FROM candidate WHERE strength = 8)),
     (SELECT json_group_array(DISTINCT lower(substr(pool, 1, instr(pool || '/', '/') - 1))) AS known
      FROM all_allocations JOIN source USING (source) WHERE format = 'slurm' AND pool IS NOT NULL)
WHERE known <> '[]' AND lower(cluster) NOT IN (SELECT value FROM json_each(known)) AND 'slurm' NOT IN (SELECT value FROM json_each(known));
--@ end
--@ if EXISTS (SELECT 1 FROM shared_id)
INSERT INTO candidate
SELECT f.file, a.job, 'by its own text', 8, 0 FROM file AS f JOIN shared_id AS a ON a.alias IN (said_job, said_task)
WHERE source IS NULL AND file NOT IN (SELECT file FROM candidate WHERE strength >= 8) AND file NOT IN (SELECT file FROM in_cluster)
  AND coalesce(said_job, '') NOT IN (SELECT key FROM key);
INSERT INTO candidate
SELECT w.file, a.job, iif(w.level = 0, 'by its file''s name', 'by its folder''s name'), 2, w.level * 1000 - length(w.words)
FROM run_of_words AS w JOIN shared_id AS a ON a.alias = w.words
WHERE w.file NOT IN (SELECT file FROM candidate)
  AND NOT (w.level = 0 AND (SELECT path FROM file AS f WHERE f.file = w.file) GLOB '*events.out.tfevents.*')
  AND (w.words GLOB '*[^0-9]*' OR length(w.words) > 2 OR w.alone
       OR rtrim(w.before, '-_.=#') IN ('job', 'slurm', 'jobid', 'id', 'pbs', 'task'));
--@ end
DROP TABLE shared_id;
INSERT INTO candidate
SELECT f.file, coalesce(k.job, t.job, b.job, c.job, said_job, said_task),
       iif(coalesce(k.job, t.job) IS NULL AND coalesce(b.job, c.job) IS NOT NULL, 'by its own text and its folder', 'by its own text'), 8, 0
FROM file AS f LEFT JOIN key AS k ON k.key = said_job LEFT JOIN key AS t ON t.key = said_task
LEFT JOIN in_cluster AS b ON b.file = f.file AND b.id = said_job LEFT JOIN in_cluster AS c ON c.file = f.file AND c.id = said_task
LEFT JOIN key AS p ON said_task GLOB '[a-z]*_*' AND p.key = substr(said_task, 1, instr(said_task, '_') - 1)
LEFT JOIN key AS q ON said_task GLOB '[a-z]*_*' AND q.key = substr(said_task, 1 + instr(said_task, '_'))
WHERE source IS NULL AND f.file NOT IN (SELECT file FROM candidate WHERE strength = 8) AND coalesce(p.job = q.job, 1)
  AND (coalesce(k.job, t.job, b.job, c.job) IS NOT NULL OR (coalesce(said_job, said_task) GLOB '[0-9]*' AND NOT EXISTS (
  SELECT 1 FROM run_of_words AS w CROSS JOIN key AS n ON n.key = w.words
  WHERE w.file = f.file AND w.level = 0 AND n.strength > 1 AND w.words GLOB '[0-9]*[^0-9]*[0-9]*')));

-- Pods and jobs of one name in several namespaces: the one whose namespace the path has as well.
--@ if EXISTS (SELECT 1 FROM source WHERE format = 'kube')
CREATE TABLE shared_pod AS
SELECT DISTINCT alias, job, substr(job, 1, instr(job, '/') - 1) AS namespace
FROM (SELECT alias, job FROM all_aliases JOIN source USING (source) WHERE format = 'kube' AND alias IN (SELECT words FROM run_of_words)
      UNION SELECT name, job FROM all_jobs JOIN source USING (source)
      WHERE format = 'kube' AND length(name) > 3 AND name IN (SELECT words FROM run_of_words))
WHERE alias NOT IN (SELECT key FROM key) AND job GLOB '?*/?*';
CREATE TABLE in_namespace AS
SELECT w.file, p.job, w.level, w.words, EXISTS (SELECT 1 FROM run_of_words AS n WHERE n.file = w.file AND n.words = p.namespace) AS is_told
FROM run_of_words AS w JOIN shared_pod AS p ON p.alias = w.words WHERE w.file NOT IN (SELECT file FROM candidate);
INSERT INTO candidate
SELECT DISTINCT file, job, iif(level = 0, 'by its file''s name', 'by its folder''s name'), 2, level * 1000 - length(words)
FROM in_namespace WHERE is_told OR file NOT IN (SELECT file FROM in_namespace WHERE is_told);
DROP TABLE in_namespace;
DROP TABLE shared_pod;
--@ end
-- Of files that fit no job so far: those whose name is that of several jobs.
CREATE TABLE shared_name AS
SELECT name, job, count(*) OVER (PARTITION BY name) AS n FROM job_name
WHERE length(name) > 3 AND name IN (SELECT words FROM run_of_words WHERE file NOT IN (SELECT file FROM candidate));
-- The tasks of an array have one name. The number behind it says which, or a folder of that number in one of that name: "sweep_4.out".
CREATE TABLE task_of AS
SELECT n.name, n.job, CAST(substr(i.id, 1 + length(rtrim(i.id, '0123456789'))) AS INTEGER) AS task
FROM shared_name AS n CROSS JOIN (
  SELECT job, rtrim(alias, ']') AS id FROM all_aliases WHERE job IN (SELECT job FROM shared_name) AND alias GLOB '[0-9]*[0-9]*'
  UNION SELECT job, rtrim(job, ']') FROM shared_name WHERE job GLOB '[0-9]*[0-9]*') AS i USING (job)
WHERE i.id GLOB '*[0-9]' AND substr(rtrim(i.id, '0123456789'), -1) IN ('_', '[', '.');
CREATE INDEX task_of_name ON task_of(name, task);
INSERT INTO candidate
SELECT DISTINCT w.file, t.job, iif(w.level = 0, 'by its file''s name', 'by its folder''s name'), 2, w.level * 1000 - length(t.name)
FROM (SELECT file, level, rtrim(rtrim(words, '0123456789'), '-_.') AS name, substr(words, 1 + length(rtrim(words, '0123456789'))) AS task
      FROM run_of_words WHERE words GLOB '*[-_.][0-9]*' AND EXISTS (SELECT 1 FROM task_of)
      UNION ALL SELECT d.file, d.level, n.words, d.words
      FROM run_of_words AS d JOIN run_of_words AS n ON n.file = d.file AND n.level = d.level + 1
      WHERE d.alone AND d.words NOT GLOB '*[^0-9]*' AND EXISTS (SELECT 1 FROM task_of)) AS w
CROSS JOIN task_of AS t ON t.name = w.name AND t.task = CAST(w.task AS INTEGER)
WHERE w.task <> '' AND w.file NOT IN (SELECT file FROM candidate);
DROP TABLE task_of;
CREATE TABLE named_as AS
SELECT DISTINCT w.file, n.name, w.level * 1000 - length(n.name) AS place
FROM (SELECT DISTINCT name FROM shared_name) AS n JOIN run_of_words AS w ON w.words = n.name
WHERE w.file NOT IN (SELECT file FROM candidate)
UNION ALL
SELECT file, '>' || name, -9000 FROM written_as WHERE file IS NOT NULL AND jobs > 1 AND file NOT IN (SELECT file FROM candidate);
INSERT INTO shared_name
SELECT '>' || name, job, jobs FROM written_as
WHERE job IS NOT NULL AND jobs > 1 AND name IN (SELECT name FROM written_as WHERE file IS NOT NULL);
DROP TABLE written_as;
.read sql/sources/match/same_names.sql

CREATE TABLE scanned AS
SELECT file FROM file
WHERE source IS NULL AND (parameter = 'log' AND format <> 'goodput' OR parameter IN ('deepspeed', 'nemo')) AND EXISTS (SELECT 1 FROM key)
  AND file NOT IN (SELECT file FROM candidate);
.read sql/sources/match/said_ids.sql
INSERT INTO candidate SELECT DISTINCT s.file, s.job, 'by its own text', 7, 0 FROM said_id AS s JOIN file AS f USING (file)
-- without a clock it begins with the first, if they come one after the other
WHERE f.missing NOT LIKE '%"start"%'
  OR s.line = (SELECT iif(count(*) = count(DISTINCT o.job), min(o.line), s.line) FROM said_id AS o WHERE o.file = s.file);
.read sql/sources/match/like_names.sql
.read sql/sources/match/same_names.sql
.read sql/sources/match/first_parts.sql
DROP TABLE job_name;

-- The best of each file. Of two that are as good neither, until the log's times are known (by_time.sql).
CREATE TABLE best AS
SELECT * FROM (SELECT *, rank() OVER (PARTITION BY file
                                      ORDER BY strength >= 8 DESC, iif(strength >= 8, -strength, place), -strength) AS place_of
               FROM candidate)
WHERE place_of = 1;
INSERT INTO found SELECT file, min(job), iif(min(place) > 9000, 'by the name of its copy', min(how))
FROM best GROUP BY file HAVING count(DISTINCT job) = 1;
INSERT INTO found SELECT a.file, f.job, f.how FROM same_names AS a JOIN found AS f ON f.file = a.as_file;
INSERT INTO found -- a log that was rotated names its job in its first part alone
SELECT o.file, min(f.job), 'by a part of the same log'
FROM found AS f JOIN log_name AS n USING (file) JOIN log_name AS l USING (name) JOIN file AS o ON o.file = l.file
WHERE f.job IS NOT NULL AND o.source IS NULL AND o.file NOT IN (SELECT file FROM candidate)
GROUP BY o.file HAVING count(DISTINCT f.job) = 1;
INSERT OR IGNORE INTO may_be -- or each part another
SELECT o.file, f.job FROM found AS f JOIN log_name AS n USING (file) JOIN log_name AS l USING (name) JOIN file AS o ON o.file = l.file
WHERE f.job IS NOT NULL AND o.source IS NULL AND o.file NOT IN (SELECT file FROM candidate) AND o.file NOT IN (SELECT file FROM found);
INSERT OR IGNORE INTO may_be SELECT file, job FROM best WHERE job IS NOT NULL;
DROP TABLE best;
.read sql/sources/match/narrowed.sql
INSERT INTO ambiguous -- listed after the logs are read, which forgets what was listed of them before
SELECT c.file, group_concat(DISTINCT c.job) FROM candidate AS c
WHERE c.how <> '' AND c.file NOT IN (SELECT file FROM found) GROUP BY c.file;

UPDATE file SET job = found.job, inferred = json_set(inferred, '$.job', found.how)
FROM found WHERE found.file = file.file AND file.rowid IN (SELECT file FROM found);

.read sql/sources/match/began.sql
-- as several jobs may add to it
CREATE TABLE scanned AS SELECT file FROM file
WHERE source IS NULL AND start IS NOT NULL AND json_extract(inferred, '$.job') = 'by its own text'
  AND json_extract(inferred, '$.start') = 'the start of its job' AND file NOT IN (SELECT file FROM said_id WHERE line IS NOT NULL);
.read sql/sources/match/said_ids.sql

INSERT INTO said_id -- what the name says otherwise than the text, which may tell of another job first
SELECT DISTINCT c.file, NULL, c.job FROM candidate AS c JOIN found AS f USING (file)
WHERE f.how = 'by its own text' AND c.strength IN (2, 3) AND c.job <> f.job;
INSERT INTO said_otherwise
SELECT c.file, c.job FROM candidate AS c JOIN found AS f USING (file)
WHERE f.how = 'by the option job' AND c.strength = 8 AND c.job <> f.job AND c.job IN (SELECT job FROM key);
DROP TABLE candidate;
DROP TABLE in_cluster;
DROP TABLE run_of_words;
DROP TABLE place;
