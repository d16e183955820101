-- match/jobs_beyond.sql - other jobs for a log that spoke before its job began or after it ended. A job may be one if it has the same name
-- and owner, has no log of that format, and held chips while the log spoke.
--
-- A part of by_time.sql: reads log_time and beyond, and adds to may_be. If the id of the log's job was given to another job, that one may
-- be it, too.

--@ if EXISTS (SELECT 1 FROM beyond)
CREATE TABLE called AS -- a row a log: what its job is called, and by whom
SELECT b.file, b.found, j.name, f.format,
       json_array(j.name, j.owner, iif(json_valid(j.labels), json_extract(j.labels, '$.user'), NULL), f.format) AS who
FROM beyond AS b CROSS JOIN file AS f ON f.file = b.file CROSS JOIN all_jobs AS j ON j.job = b.found
WHERE j.name IS NOT NULL AND j.source IN (SELECT source FROM source WHERE rank = 1);
CREATE TABLE own_log AS
SELECT DISTINCT l.found AS job, s.format, l.file FROM log_time AS l JOIN source AS s USING (source) WHERE l.found IS NOT NULL;
CREATE TABLE asked AS
SELECT DISTINCT who, job
FROM (SELECT json_array(j.name, j.owner, iif(json_valid(j.labels), json_extract(j.labels, '$.user'), NULL), f.format) AS who,
             j.job, f.format
      FROM all_jobs AS j CROSS JOIN (SELECT DISTINCT format FROM called) AS f
      WHERE j.name IN (SELECT name FROM called) AND j.source IN (SELECT source FROM source WHERE rank = 1))
WHERE who IN (SELECT who FROM called) AND iif((job, format) IN (SELECT job, format FROM own_log), 0, 1);
.read sql/sources/match/held_by.sql
INSERT OR IGNORE INTO may_be
SELECT c.file, h.job
FROM (SELECT DISTINCT who, longest FROM held) AS n
CROSS JOIN called AS c ON c.who = n.who CROSS JOIN log_time AS l ON l.file = c.file
CROSS JOIN held AS h ON h.who = n.who AND h.longest = n.longest AND h.since BETWEEN l.first - n.longest - 1 AND max(l.first, l.last)
WHERE (h.since < l.last OR h.since = l.first) AND h.until > l.first;
DROP TABLE held;
INSERT OR IGNORE INTO may_be
SELECT c.file, c.found FROM called AS c
JOIN (SELECT job, format, min(file) AS file FROM own_log GROUP BY job, format HAVING count(*) = 1) AS o
  ON o.job = c.found AND o.format = c.format AND o.file = c.file;
INSERT OR IGNORE INTO may_be
SELECT b.file, j.job
FROM (SELECT job, rtrim(job, '0123456789') AS id FROM all_jobs
      WHERE job GLOB '*#[0-9]*' AND source IN (SELECT source FROM source WHERE rank = 1)) AS j JOIN beyond AS b ON b.found || '#' = j.id;
DROP TABLE called;
DROP TABLE own_log;
--@ end
