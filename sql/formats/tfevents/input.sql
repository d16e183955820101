-- tfevents/input.sql - what each file has.
--
-- Reads tfevents_trace. Makes tfevents_survey, a row a file.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

-- Files are read one by one, first for what they have, and then a tag at a time: the reader leaves out all others. A file begins with an
-- event of its own, and is observed until the last event of any kind. (Of no file at all the reader says so.)
DROP TABLE IF EXISTS temp.tfevents_paths;
CREATE TEMP TABLE tfevents_paths AS
SELECT p.path FROM (SELECT count(*) FROM (SELECT 1 FROM tfevents_trace(mpg_required(:events, ':events')) LIMIT 1))
CROSS JOIN trace_files(:events) AS p;
DROP TABLE IF EXISTS temp.tfevents_seen;
CREATE TEMP TABLE tfevents_seen AS
SELECT p.path AS file, json_group_array(DISTINCT e.tag) AS tags, min(e.wall_time) AS first, max(e.wall_time) AS last,
       count(*) > count(e.wall_time) AS untimed,
       min(e.wall_time) FILTER (WHERE e.tag IS NULL AND e.kind = 'file_version' AND e.wall_time > 0) AS begun
FROM tfevents_paths AS p CROSS JOIN tfevents_trace(p.path) AS e GROUP BY p.rowid;
DROP TABLE tfevents_paths;

-- In the order of jobs and of when their files begin. Keras writes into the folders train and validation of a run.
DROP TABLE IF EXISTS temp.tfevents_survey;
CREATE TEMP TABLE tfevents_survey(of_file INTEGER PRIMARY KEY, file TEXT, tags, first, last, untimed, job TEXT, begin_time REAL);
INSERT INTO tfevents_survey(file, tags, first, last, untimed, job, begin_time)
SELECT file, tags, first, last, untimed,
       coalesce(:job, nullif(CASE WHEN folder LIKE '%/train' AND of_keras THEN substr(folder, 1, length(folder) - 6)
                                  WHEN folder LIKE '%/validation' AND of_keras THEN substr(folder, 1, length(folder) - 11)
                                  ELSE folder END, ''), file) AS job,
       coalesce(begun, iif(first > 0, first,
                           (SELECT min(e.wall_time) FROM tfevents_trace(s.file) AS e WHERE e.wall_time > 0))) AS begin_time
FROM (SELECT *, rtrim(rtrim(file, replace(file, '/', '')), '/') AS folder, tags LIKE '%"epoch_loss"%' AS of_keras FROM tfevents_seen) AS s
ORDER BY job, begin_time, file;
DROP TABLE tfevents_seen;
