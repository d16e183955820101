-- match/narrowed.sql - which of several jobs a log is of, as its user and its host say.
--
-- A part of match.sql, once it is known which jobs each log may be of: changes may_be, same_names, found, on_host and in_users_folder.
-- When a host held a job, and which of a user's jobs ran then, by_time.sql asks.

-- Jobs of one name that belong to several users: that of a folder above the log, but not above the scheduler's export, or of a word in its
-- name.
--@ if EXISTS (SELECT 1 FROM may_be WHERE file NOT IN (SELECT file FROM found) GROUP BY file HAVING count(*) > 1)
CREATE TABLE several AS
SELECT file, job FROM may_be
WHERE file IN (SELECT file FROM may_be WHERE file NOT IN (SELECT file FROM found) GROUP BY file HAVING count(*) > 1);
CREATE TABLE owned AS
SELECT DISTINCT j.job, w.value AS who, w.key
FROM all_jobs AS j JOIN source AS s USING (source)
CROSS JOIN json_each(json_array(iif(json_valid(j.labels), json_extract(j.labels, '$.user'), NULL), j.owner)) AS w
WHERE s.rank = 1 AND j.job IN (SELECT job FROM several) AND w.value <> '';
CREATE TABLE of_several AS SELECT DISTINCT file, file AS as_file FROM several WHERE file > 0
UNION ALL SELECT file, as_file FROM same_names WHERE as_file IN (SELECT file FROM several);
CREATE TABLE with_user AS
WITH who AS MATERIALIZED ( -- tells: their folders are of logs
  SELECT who, NOT EXISTS (SELECT 1 FROM file AS e JOIN source AS s USING (source)
                          WHERE s.rank = 1 AND instr(e.path, '/' || who || '/')) AS tells
  FROM (SELECT DISTINCT who FROM owned)
)
SELECT w.file, who.who FROM run_of_words AS w CROSS JOIN who ON who.who = w.words
WHERE w.file IN (SELECT file FROM of_several) AND (w.level = 0 OR tells)
UNION SELECT f.file, who.who FROM of_several CROSS JOIN file AS f USING (file) CROSS JOIN who
WHERE tells AND instr(f.path, '/' || who.who || '/');
-- Of logs with the same names those with the same users in them stay together.
CREATE TABLE apart AS
SELECT file, as_file, -(SELECT max(file) FROM file) - min(file) OVER (PARTITION BY as_file, users) AS other
FROM (SELECT file, as_file, json_group_array(who) AS users
      FROM (SELECT k.file, k.as_file, w.who FROM with_user AS w JOIN same_names AS k USING (file) ORDER BY k.file, w.who) GROUP BY file);
CREATE TABLE of_user AS
SELECT u.file, m.job, o.key AS place
FROM (SELECT file, as_file, who FROM of_several JOIN with_user USING (file) WHERE as_file > 0
      UNION SELECT other, as_file, who FROM apart JOIN with_user USING (file)) AS u
CROSS JOIN several AS m ON m.file = u.as_file CROSS JOIN owned AS o ON o.job = m.job AND o.who = u.who;
DELETE FROM of_user WHERE iif((file, place) IN (SELECT file, min(place) FROM of_user GROUP BY file), 0, 1);
UPDATE same_names SET as_file = a.other FROM apart AS a WHERE a.file = same_names.file AND a.other IN (SELECT file FROM of_user);
DELETE FROM may_be WHERE file IN (SELECT file FROM of_user) AND iif((file, job) IN (SELECT file, job FROM of_user), 0, 1);
INSERT OR IGNORE INTO may_be SELECT file, job FROM of_user;
INSERT INTO found SELECT file, min(job), 'by its name and its user' FROM of_user GROUP BY file HAVING count(DISTINCT job) = 1;
INSERT INTO found SELECT k.file, f.job, f.how FROM same_names AS k JOIN found AS f ON f.file = k.as_file
WHERE k.as_file IN (SELECT file FROM of_user);
DROP TABLE of_user;
DROP TABLE apart;
DROP TABLE with_user;
DROP TABLE of_several;
DROP TABLE owned;
DROP TABLE several;
--@ end

-- Of a log without a clock whose name has a day, but for that of its folder in which a scheduler's export lies: the one that began then.
--@ if EXISTS (SELECT 1 FROM file WHERE named_day IS NOT NULL AND source IS NULL)
CREATE TABLE of_day AS
WITH dated AS MATERIALIZED (SELECT f.file, coalesce(k.as_file, f.file) AS as_file, f.named_day, f.named_in
                            FROM file AS f LEFT JOIN same_names AS k USING (file) WHERE f.named_day IS NOT NULL AND f.source IS NULL),
began AS MATERIALIZED (SELECT job, start_time FROM all_allocations
                       WHERE job IN (SELECT job FROM may_be) AND chips > 0 AND source IN (SELECT source FROM source WHERE rank = 1))
SELECT d.file, d.named_in, t.job
FROM dated AS d JOIN (SELECT d.as_file, d.named_day, min(m.job) AS job
                      FROM (SELECT DISTINCT as_file, named_day FROM dated) AS d JOIN may_be AS m ON m.file = d.as_file
                      JOIN began AS b ON b.job = m.job AND b.start_time BETWEEN d.named_day AND d.named_day + 86399
                      GROUP BY d.as_file, d.named_day HAVING count(DISTINCT m.job) = 1) AS t USING (as_file, named_day);
INSERT INTO found
SELECT file, job, 'by its name and the day in it' FROM of_day AS d
WHERE file NOT IN (SELECT file FROM found)
  AND (named_in IS NULL OR NOT EXISTS (SELECT 1 FROM file AS e JOIN source AS s USING (source)
                                       WHERE s.rank = 1 AND substr(e.path, 1, length(d.named_in)) = d.named_in));
DROP TABLE of_day;
--@ end

-- Of what no name tells, or that of several jobs: the host that the text names, else the nearest name that has one's.
--@ if EXISTS (SELECT 1 FROM all_hosts)
INSERT INTO on_host
SELECT n.file, h.host, h.job
FROM (SELECT DISTINCT file, host FROM (SELECT w.file, w.words AS host, rank() OVER (PARTITION BY w.file ORDER BY w.level) AS place
                                       FROM (SELECT file, level, words
                                             FROM run_of_words UNION ALL SELECT file, -1,
                                                                                substr(said_job, 1, instr(said_job || '.', '.') - 1)
                                             FROM file WHERE source IS NULL AND said_job GLOB '[A-Za-z]*') AS w
                                       WHERE w.words IN (SELECT host FROM all_hosts WHERE job IS NOT NULL)
                                         AND w.file NOT IN (SELECT file FROM found)) WHERE place = 1) AS n
JOIN (SELECT DISTINCT host, job FROM all_hosts WHERE job IS NOT NULL) AS h USING (host)
LEFT JOIN same_names AS k ON k.file = n.file
WHERE n.file NOT IN (SELECT file FROM may_be) AND k.file IS NULL OR (coalesce(k.as_file, n.file), h.job) IN (SELECT file, job FROM may_be);
--@ end
INSERT OR IGNORE INTO may_be SELECT file, job FROM on_host WHERE file NOT IN (SELECT file FROM same_names);

-- Logs in a user's folder, if nothing else tells their job.
INSERT INTO in_users_folder
SELECT f.file, u.user
FROM (SELECT file, path FROM file AS f
      WHERE source IS NULL AND format IS NOT NULL AND NOT EXISTS (SELECT 1 FROM found AS o WHERE o.file = f.file)
        AND NOT EXISTS (SELECT 1 FROM may_be AS m WHERE m.file = f.file) AND file NOT IN (SELECT file FROM candidate)) AS f
JOIN (SELECT DISTINCT json_extract(labels, '$.user') AS user
      FROM all_jobs JOIN source USING (source) WHERE rank = 1 AND json_valid(labels)) AS u ON instr(f.path, '/' || u.user || '/')
WHERE length(u.user) > 2
  AND NOT EXISTS (SELECT 1 FROM file AS e JOIN source AS s USING (source) WHERE s.rank = 1 AND instr(e.path, '/' || u.user || '/'));
