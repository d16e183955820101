-- match/narrowed.sql - which of several jobs a log is of, as its user and its host say.
--
-- A part of match.sql, once it is known which jobs each log may be of: changes may_be, found, on_host and in_users_folder. When a host held
-- a job, and which of a user's jobs ran then, by_time.sql asks.

-- Jobs of one name that belong to several users: that of a folder above the log, but not above the scheduler's export, or of a word in its
-- name.
--@ if EXISTS (SELECT 1 FROM may_be WHERE file NOT IN (SELECT file FROM found) GROUP BY file HAVING count(*) > 1)
CREATE TABLE of_user AS
WITH several AS MATERIALIZED (SELECT file, job FROM may_be
                              WHERE file IN (SELECT file FROM may_be
                                             WHERE file NOT IN (SELECT file FROM found) GROUP BY file HAVING count(*) > 1)),
owned AS MATERIALIZED (
  SELECT DISTINCT j.job, w.value AS who, w.key
  FROM all_jobs AS j JOIN source AS s USING (source)
  CROSS JOIN json_each(json_array(iif(json_valid(j.labels), json_extract(j.labels, '$.user'), NULL), j.owner)) AS w
  WHERE s.rank = 1 AND j.job IN (SELECT job FROM several) AND w.value <> ''
),
who AS MATERIALIZED ( -- tells: their folders are of logs
  SELECT who, NOT EXISTS (SELECT 1 FROM file AS e JOIN source AS s USING (source)
                          WHERE s.rank = 1 AND instr(e.path, '/' || who || '/')) AS tells
  FROM (SELECT DISTINCT who FROM owned)
),
user AS MATERIALIZED (
  SELECT w.file, who.who FROM run_of_words AS w CROSS JOIN who ON who.who = w.words
  WHERE w.file IN (SELECT file FROM several) AND (w.level = 0 OR tells)
  UNION SELECT f.file, who.who FROM (SELECT DISTINCT file FROM several) CROSS JOIN file AS f USING (file) CROSS JOIN who
  WHERE tells AND instr(f.path, '/' || who.who || '/')
)
SELECT m.file, m.job, o.key AS place
FROM user AS u CROSS JOIN several AS m USING (file) CROSS JOIN owned AS o ON o.job = m.job AND o.who = u.who;
DELETE FROM of_user WHERE (file, place) NOT IN (SELECT file, min(place) FROM of_user GROUP BY file);
DELETE FROM may_be WHERE file IN (SELECT file FROM of_user) AND (file, job) NOT IN (SELECT file, job FROM of_user);
INSERT INTO found SELECT file, min(job), 'by its name and its user' FROM of_user GROUP BY file HAVING count(DISTINCT job) = 1;
DROP TABLE of_user;
--@ end

-- Of a log without a clock whose name has a day, but for that of its folder in which a scheduler's export lies: the one that began then.
--@ if EXISTS (SELECT 1 FROM file WHERE named_day IS NOT NULL AND source IS NULL)
INSERT INTO found
SELECT m.file, min(m.job), 'by its name and the day in it'
FROM (SELECT file, named_day, named_in FROM file WHERE named_day IS NOT NULL AND source IS NULL) AS f JOIN may_be AS m USING (file)
JOIN (SELECT DISTINCT job, start_time FROM all_allocations
      WHERE job IN (SELECT job FROM may_be) AND chips > 0 AND source IN (SELECT source FROM source WHERE rank = 1)) AS a USING (job)
WHERE a.start_time BETWEEN f.named_day AND f.named_day + 86399 AND file NOT IN (SELECT file FROM found)
  AND (named_in IS NULL OR NOT EXISTS (SELECT 1 FROM file AS e JOIN source AS s USING (source)
                                       WHERE s.rank = 1 AND substr(e.path, 1, length(f.named_in)) = f.named_in))
GROUP BY m.file HAVING count(DISTINCT m.job) = 1;
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
WHERE n.file NOT IN (SELECT file FROM may_be) OR (n.file, h.job) IN (SELECT file, job FROM may_be);
--@ end
INSERT OR IGNORE INTO may_be SELECT file, job FROM on_host;

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
