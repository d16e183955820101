-- by_time.sql - which job a trainer's log is of, where its name fits several jobs or its lines go on after its job.
--
-- Runs after the trainers' scripts and before join.sql. Jobs of one name that run one after the other often write one log. Each
-- of its records is of the job that held chips then. A log that fits jobs which ran at once is of none of them.

-- When each log spoke, if there is a scheduler. was: the job's name in the log's own records; found: the job of the file, if that is
-- known. (Many logs without a clock begin at one time: they are left out, and no end is sought.)
CREATE TABLE log_time AS
SELECT f.file, f.source, a.job AS was, f.job AS found, min(a.start_time) AS first,
       max(coalesce(a.end_time, c.end_time, a.start_time)) AS last
FROM (SELECT f.file, f.source, f.job,
             CASE n.way WHEN 0 THEN f.path WHEN 1 THEN rtrim(rtrim(f.path, replace(f.path, '/', '')), '/')
                  ELSE substr(f.path, 1, instr(f.path, '/metrics/') - 1) END AS name
      FROM file AS f JOIN source AS s USING (source) CROSS JOIN (SELECT 0 AS way UNION ALL SELECT 1 UNION ALL SELECT 2) AS n
      WHERE s.rank = 3 AND EXISTS (SELECT 1 FROM source WHERE rank = 1) AND (n.way < 2 OR f.parameter = 'mlflow_store')) AS f
CROSS JOIN (SELECT *, job AS name FROM all_allocations WHERE source IN (SELECT source FROM source WHERE rank = 3) UNION ALL
  SELECT *, rtrim(rtrim(job, '0123456789'), '#') FROM all_allocations
            WHERE source IN (SELECT source FROM source WHERE rank = 3) AND job GLOB '?*#[0-9]*') AS a ON a.source = f.source
  AND a.name = f.name
LEFT JOIN all_capacity AS c ON a.start_time > 1e8 AND c.source = a.source AND c.pool = a.pool AND c.start_time = a.start_time
  AND c.chips = a.chips
GROUP BY f.file, a.job HAVING min(a.start_time) > 1e8;
CREATE INDEX log_of_job ON log_time(found);

-- The jobs that a log may be of: those that its name fits; and those with the name and owner of the job that it was found to
-- be of, or to which its id was given anew, if it spoke more than a minute before that job began or after it ended.
CREATE TABLE beyond AS
SELECT file, found
FROM (SELECT job, min(start_time) AS first, max(coalesce(end_time, 9e18)) AS last FROM all_allocations
      WHERE chips > 0 AND job IN (SELECT found FROM log_time) AND source IN (SELECT source FROM source WHERE rank = 1) GROUP BY job) AS a
JOIN log_time AS l ON l.found = a.job
GROUP BY file, found HAVING min(l.first) < min(a.first) - 60 OR max(l.last) > max(a.last) + 60;
-- Several jobs may append to one log, and each may print its id: then the ids say which job each part is of. If the log was cut into
-- parts, this is asked of each of them.
CREATE TABLE scanned AS
WITH asked AS (SELECT file FROM beyond
               WHERE file IN (SELECT file FROM file
                              WHERE json_extract(inferred, '$.job') IN ('by its own text', 'by a part of the same log')))
SELECT file FROM (SELECT file FROM asked UNION SELECT l.file FROM asked JOIN log_name AS n USING (file) JOIN log_name AS l USING (name))
WHERE file NOT IN (SELECT file FROM said_id WHERE line IS NOT NULL);
.read sql/sources/match/said_ids.sql
DELETE FROM said_id WHERE file IN (SELECT file FROM found) AND file NOT IN (SELECT file FROM beyond)
  AND file NOT IN (SELECT l.file FROM beyond JOIN log_name AS n USING (file) JOIN log_name AS l USING (name));
CREATE TABLE said_of AS SELECT file, job FROM said_id UNION
SELECT l.file, s.job FROM said_id AS s JOIN log_name AS n USING (file) JOIN log_name AS l USING (name);
INSERT OR IGNORE INTO may_be SELECT file, job FROM said_of;
DELETE FROM beyond WHERE file IN (SELECT file FROM said_of GROUP BY file HAVING count(DISTINCT job) > 1);
.read sql/sources/match/jobs_beyond.sql
-- A log in a user's folder: of a job of that user's which has no other log, held as many chips and ran from its first line to its last. Of
-- several that spoke at once in folders of their own nothing tells which is the job's.
CREATE TABLE users_log AS
SELECT u.user, l.file, rtrim(f.path, replace(f.path, '/', '')) AS folder, min(l.first) AS first, max(l.last) AS last, o.chips
FROM in_users_folder AS u CROSS JOIN file AS f ON f.file = u.file
JOIN log_time AS l ON l.file = u.file
JOIN (SELECT source, job, max(chips) AS chips FROM all_allocations
      WHERE EXISTS (SELECT 1 FROM in_users_folder) AND source IN (SELECT source FROM source WHERE rank = 3) GROUP BY source, job) AS o
  ON o.source = l.source AND o.job = l.was
GROUP BY u.user, l.file;
CREATE TABLE users_held AS
SELECT j.user, a.job, sum(a.chips) AS chips, min(a.start_time) AS since, max(coalesce(a.end_time, 9e18)) AS until
FROM (SELECT source, job, json_extract(labels, '$.user') AS user FROM all_jobs
      WHERE EXISTS (SELECT 1 FROM users_log) AND source IN (SELECT source FROM source WHERE rank = 1) AND json_valid(labels)
        AND job NOT IN (SELECT found FROM log_time WHERE found IS NOT NULL)) AS j
JOIN all_allocations AS a ON a.source = j.source AND a.job = j.job
WHERE j.user IN (SELECT user FROM users_log) GROUP BY a.source, a.job, a.attempt;
CREATE INDEX users_held_of ON users_held(user, chips, since);
CREATE TABLE users_job AS
SELECT l.file, l.folder, l.first, l.last, a.job
FROM users_log AS l
CROSS JOIN users_held AS a ON a.user = l.user AND a.chips = l.chips AND a.since < l.first + 60 AND a.until > l.last - 60;
CREATE INDEX users_job_of ON users_job(job);
INSERT OR IGNORE INTO may_be
SELECT file, job FROM users_job AS u
WHERE NOT EXISTS (SELECT 1 FROM users_job AS o WHERE o.job = u.job AND o.folder <> u.folder AND o.first < u.last AND o.last > u.first);
DROP TABLE users_log;
DROP TABLE users_held;
DROP TABLE users_job;

CREATE INDEX by_time_of ON by_time(source, was, since);
.read sql/sources/match/held_then.sql
--@ if EXISTS (SELECT 1 FROM on_host)
CREATE TABLE ended(job PRIMARY KEY, until) WITHOUT ROWID;
INSERT INTO ended SELECT job, max(coalesce(end_time, 9e18)) FROM all_allocations
WHERE job IN (SELECT job FROM on_host) AND source IN (SELECT source FROM source WHERE rank = 1) GROUP BY job;
INSERT INTO by_time -- a log that has a host's name is of the jobs that held it
SELECT l.file, l.source, l.was, h.start_time, h.end_time, h.job, l.found
FROM on_host AS o
JOIN (SELECT h.host, h.job, h.start_time, min(coalesce(h.end_time, a.until)) AS end_time
      FROM all_hosts AS h CROSS JOIN ended AS a USING (job)
      WHERE h.host IN (SELECT host FROM on_host) GROUP BY h.host, h.job, h.start_time) AS h USING (host, job)
JOIN log_time AS l ON l.file = o.file WHERE (h.start_time < l.last OR h.start_time = l.first) AND h.end_time > l.first
GROUP BY l.file, l.was, h.job, h.start_time;
DROP TABLE ended;
--@ end

-- Logs that fit several jobs which ran at once: besides those that are known already, those looked at by themselves, or with one name.
INSERT INTO at_once
SELECT DISTINCT b.file FROM by_time AS b
WHERE (b.source, b.was) IN (SELECT source, was FROM mixed)
  AND EXISTS (SELECT 1 FROM by_time AS o WHERE o.source = b.source AND o.was = b.was AND o.job <> b.job
                AND o.since <= b.since AND o.until > b.since);
-- If the text has as many ids, one after the other, as the log has runs, each run is of the next id, provided that its job held chips
-- then.
--@ if EXISTS (SELECT 1 FROM at_once)
CREATE TABLE in_order AS
SELECT r.file, r.source, r.was, r.start_time, coalesce(lead(r.start_time) OVER (PARTITION BY r.file ORDER BY r.nth), 9e18) AS until, i.job,
       r.found, r.n
FROM (SELECT l.file, l.source, l.was, l.found, a.start_time, row_number() OVER w AS nth, count(*) OVER (PARTITION BY l.file) AS n
      FROM (SELECT * FROM log_time WHERE file IN (SELECT file FROM at_once) AND file IN (SELECT file FROM said_id)) AS l
      JOIN all_allocations AS a ON a.source = l.source AND a.job = l.was WINDOW w AS (PARTITION BY l.file ORDER BY a.start_time)) AS r
JOIN (SELECT file, job, row_number() OVER w AS nth, count(*) OVER (PARTITION BY file) AS n
      FROM (SELECT file, line, job, lag(job) OVER (PARTITION BY file ORDER BY line) AS before
            FROM said_id WHERE line IS NOT NULL AND file IN (SELECT file FROM at_once))
      WHERE before IS NOT job WINDOW w AS (PARTITION BY file ORDER BY line)) AS i USING (file, nth, n)
WHERE EXISTS (SELECT 1 FROM by_time AS b
              WHERE b.file = r.file AND b.was = r.was AND b.job = i.job AND r.start_time BETWEEN b.since - 60 AND b.until);
DELETE FROM in_order WHERE file NOT IN (SELECT file FROM in_order GROUP BY file HAVING count(*) = max(n));
DELETE FROM at_once WHERE file IN (SELECT file FROM in_order);
DELETE FROM by_time WHERE file IN (SELECT file FROM in_order);
INSERT INTO by_time SELECT file, source, was, start_time, until, job, found FROM in_order;
DROP TABLE in_order;
--@ end
INSERT INTO ambiguous SELECT DISTINCT file, NULL FROM at_once
WHERE file NOT IN (SELECT file FROM ambiguous) AND file NOT IN (SELECT file FROM found)
ORDER BY file IN (SELECT file FROM on_host), file;
CREATE TABLE one_of_few(file INTEGER, job TEXT, PRIMARY KEY (file, job)) WITHOUT ROWID;
INSERT INTO one_of_few
WITH few AS MATERIALIZED (SELECT file FROM may_be GROUP BY file HAVING count(*) BETWEEN 2 AND 20)
SELECT file, job FROM may_be WHERE file > 0 AND file IN (SELECT file FROM few)
UNION ALL SELECT k.file, m.job FROM few JOIN same_names AS k ON k.as_file = few.file JOIN may_be AS m ON m.file = few.file;
INSERT INTO ambiguous -- also a log without a clock: no time can say its job
SELECT m.file, group_concat(DISTINCT m.job)
FROM one_of_few AS m JOIN file AS f USING (file) JOIN all_allocations AS a ON a.source = f.source AND a.job = f.path AND a.start_time < 1e8
WHERE f.job IS NULL AND m.file NOT IN (SELECT file FROM ambiguous) AND EXISTS (SELECT 1 FROM source WHERE rank = 1)
GROUP BY m.file;
DROP TABLE one_of_few;
--@ if EXISTS (SELECT 1 FROM ambiguous WHERE jobs IS NULL)
.read sql/sources/match/first_held.sql
--@ end
DELETE FROM by_time WHERE file IN (SELECT file FROM at_once)
   OR file IN (SELECT file FROM by_time WHERE found IS NOT NULL GROUP BY file
                     HAVING max(job = found OR rtrim(job, '0123456789') = found || '#' OR (file, job) IN (SELECT file, job FROM said_of))
                 = 0 OR (count(DISTINCT job) = 1 AND max(job = found)));
DELETE FROM ambiguous WHERE file IN (SELECT file FROM by_time);

UPDATE file
SET job = iif(b.n = 1, b.job, NULL),
  inferred = json_set(inferred, '$.job',
                      iif(b.n = 1, CASE WHEN b.file IN (SELECT file FROM on_host) THEN 'by its host''s name and its time'
                                        WHEN b.file IN (SELECT file FROM in_users_folder) THEN 'by its user''s folder and its time'
                                        ELSE 'by its name and its time' END, 'by the times of its records: ' || b.n || ' jobs'))
FROM (SELECT file, min(job) AS job, count(DISTINCT job) AS n FROM by_time GROUP BY file) AS b WHERE b.file = file.file;
DELETE FROM by_time WHERE file IN (SELECT file FROM file WHERE job IS NOT NULL);
-- Records that call their job by a name or an id that several jobs have: each is of the one that held chips then. Of jobs that ran at once
-- it is none's.
CREATE TABLE own_word AS
SELECT a.source, a.job AS was, coalesce(r.alias, iif(a.job GLOB '?*#[0-9]*', rtrim(rtrim(a.job, '0123456789'), '#'), a.job)) AS word,
       min(a.start_time) AS first, max(coalesce(a.end_time, c.end_time, a.start_time)) AS last
FROM all_allocations AS a LEFT JOIN all_capacity AS c ON a.start_time > 1e8 AND c.source = a.source AND c.pool = a.pool
  AND c.start_time = a.start_time AND c.chips = a.chips
LEFT JOIN all_aliases AS r ON r.source = a.source AND r.job = a.job -- what a tracker's records call their run
WHERE a.source IN (SELECT source FROM source WHERE rank = 3) AND EXISTS (SELECT 1 FROM source WHERE rank = 1)
  AND iif(r.alias IS NULL, a.job NOT GLOB '*/*' AND a.job NOT IN (SELECT key FROM key)
          AND a.job NOT IN (SELECT path FROM file), r.alias NOT IN (SELECT key FROM key)
          AND a.job NOT IN (SELECT path FROM file WHERE job IS NOT NULL))
GROUP BY a.source, a.job, r.alias HAVING min(a.start_time) > 1e8;
INSERT INTO own_word -- jobs without allocations, as OpenTelemetry's: the times of their spans alone say when they ran
SELECT DISTINCT j.source, j.job, j.job, 0, 9e18 FROM all_jobs AS j
WHERE j.source IN (SELECT source FROM source WHERE rank = 3) AND EXISTS (SELECT 1 FROM source WHERE rank = 1) AND j.job NOT GLOB '*/*'
  AND j.job NOT IN (SELECT key FROM key) AND j.job NOT IN (SELECT path FROM file)
  AND iif((j.source, j.job) IN (SELECT source, job FROM all_allocations WHERE source IN (SELECT source FROM source WHERE rank = 3)), 0, 1);
-- If the name of their file or folder tells the job, they are of that job. The files are read again to see which has which word.
--@ if EXISTS (SELECT 1 FROM own_word)
CREATE TABLE worded AS
SELECT f.path, f.job, s.format FROM file AS f JOIN source AS s USING (source)
WHERE s.rank = 3 AND s.format IN ('goodput', 'otlp') AND f.job IS NOT NULL AND source IN (SELECT source FROM own_word);
CREATE TABLE worded_before AS SELECT * FROM mpg_issues WHERE source IN (SELECT path FROM worded);
CREATE TABLE word_job AS
SELECT DISTINCT word, job
FROM (SELECT g.job_name AS word, w.job FROM worded AS w CROSS JOIN goodput_trace(w.path) AS g WHERE w.format = 'goodput'
      UNION ALL SELECT CAST(coalesce(json_extract(o.attributes, '$."mpg.job"'), json_extract(o.scope_attributes, '$."mpg.job"'),
                                     json_extract(o.resource, '$."mpg.job"')) AS TEXT), w.job
      FROM worded AS w CROSS JOIN otlp_trace(w.path) AS o WHERE w.format = 'otlp')
WHERE word IN (SELECT word FROM own_word);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM worded_before AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE worded;
DROP TABLE worded_before;
INSERT INTO word_job
SELECT word, job
FROM (SELECT j.name AS word, j.job FROM (SELECT 1 FROM own_word LIMIT 1) CROSS JOIN all_jobs AS j
      WHERE j.name IN (SELECT word FROM own_word) AND j.source IN (SELECT source FROM source WHERE rank = 1)
      UNION SELECT j.alias, j.job FROM (SELECT 1 FROM own_word LIMIT 1) CROSS JOIN all_aliases AS j
      WHERE j.alias IN (SELECT word FROM own_word) AND j.source IN (SELECT source FROM source WHERE rank = 1))
WHERE word NOT IN (SELECT word FROM word_job);
INSERT INTO word_job -- a name with the id in it: "llama-5101"
SELECT DISTINCT w.word, k.job
FROM (SELECT DISTINCT word FROM own_word WHERE word NOT IN (SELECT word FROM word_job) AND word GLOB '*[0-9][0-9][0-9][0-9]*') AS w
CROSS JOIN json_each('[' || replace(replace(replace(replace(json_quote(w.word), '-', '","'), '_', '","'), '.', '","'), ' ', '","')
                     || ']') AS t CROSS JOIN key AS k ON k.key = t.value
WHERE length(t.value) > 3 AND t.value NOT GLOB '*[^0-9]*' AND k.strength = 3;
INSERT INTO by_time
SELECT NULL, w.source, w.was, a.start_time, coalesce(a.end_time, 9e18), a.job, NULL
FROM (SELECT job, start_time, end_time FROM all_allocations
      WHERE chips > 0 AND job IN (SELECT job FROM word_job) AND source IN (SELECT source FROM source WHERE rank = 1)) AS a
JOIN word_job AS j ON j.job = a.job JOIN own_word AS w ON w.word = j.word
WHERE (a.start_time < w.last OR a.start_time = w.first) AND coalesce(a.end_time, 9e18) > w.first;
INSERT INTO words_at_once
SELECT source, was, group_concat(job, ',') AS jobs
FROM (SELECT DISTINCT b.source, b.was, b.job FROM by_time AS b
      WHERE b.file IS NULL AND EXISTS (SELECT 1 FROM by_time AS o WHERE o.source = b.source AND o.was = b.was AND o.job <> b.job
                                         AND o.since < b.until AND o.until > b.since) ORDER BY b.job) GROUP BY source, was;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(path) FROM file AS f WHERE f.source = w.source), 'warning', 'ambiguous_job', NULL, count(*),
       'jobs of a name that several have which ran at once, first ' || min(was) || ': ' || min(jobs)
FROM words_at_once AS w GROUP BY w.source;
DELETE FROM by_time WHERE (source, was) IN (SELECT source, was FROM words_at_once);
INSERT OR IGNORE INTO renamed SELECT source, was, min(job)
FROM by_time WHERE file IS NULL GROUP BY source, was HAVING count(DISTINCT job) = 1;
DELETE FROM by_time WHERE file IS NULL AND (source, was) IN (SELECT source, was FROM renamed);
DROP TABLE word_job;
--@ end
DROP TABLE own_word;

-- Between two allocations the nearer one counts, for clocks differ by seconds.
UPDATE by_time SET since = coalesce((o.before + since) / 2, -9e18)
FROM (SELECT rowid AS row, max(until) OVER (PARTITION BY source, was
                                            ORDER BY since ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM by_time) AS o
WHERE o.row = by_time.rowid;

-- A log whose clock seems to be of another zone than the scheduler's: some half hours earlier or later it would be wholly within its job.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH RECURSIVE asked AS MATERIALIZED ( -- logs that the option job names have its job's name already
  SELECT f.file, f.job AS found, min(a.start_time) AS first, max(coalesce(a.end_time, c.end_time, a.start_time)) AS last
  FROM (SELECT min(f.file) AS file, f.source, f.job FROM file AS f JOIN source AS s USING (source)
        WHERE s.rank = 3 AND json_extract(f.options, '$.job') = f.job GROUP BY f.source, f.job) AS f
  CROSS JOIN (SELECT * FROM all_allocations WHERE source IN (SELECT source FROM source WHERE rank = 3)) AS a ON a.source = f.source
    AND a.job = f.job
  LEFT JOIN all_capacity AS c ON a.start_time > 1e8 AND c.source = a.source AND c.pool = a.pool AND c.start_time = a.start_time
    AND c.chips = a.chips
  WHERE EXISTS (SELECT 1 FROM source WHERE rank = 1) GROUP BY f.source, f.job HAVING min(a.start_time) > 1e8
),
away AS MATERIALIZED (
  SELECT l.file, l.found, l.first, l.last, a.since, a.until
  FROM (SELECT file, found, first, last FROM log_time UNION SELECT file, found, first, last FROM asked) AS l
  JOIN (SELECT job, min(start_time) AS since, max(coalesce(end_time, 9e18)) AS until FROM all_allocations
        WHERE chips > 0 AND job IN (SELECT found FROM log_time UNION ALL SELECT found FROM asked)
          AND source IN (SELECT source FROM source WHERE rank = 1) GROUP BY job) AS a ON a.job = l.found
  WHERE (l.first < a.since - 600 OR l.last > a.until + 600) AND l.last > a.since - 86400 AND l.first < a.until + 86400
    AND l.file NOT IN (SELECT file FROM by_time)
),
half(hours) AS (SELECT -14.0 UNION ALL SELECT hours + 0.5 FROM half WHERE hours < 14)
SELECT path, 'warning', 'job_at_another_time', NULL, 1,
       'much of it is not of the time of job ' || found || ', but would be ' || rtrim(rtrim(printf('%.1f', abs(hours)), '0'), '.')
         || ' hours ' || iif(hours < 0, 'earlier', 'later') || ': check zone, its own and the scheduler''s'
FROM (SELECT *, row_number() OVER (PARTITION BY file ORDER BY abs(hours)) AS nth
      FROM away CROSS JOIN half WHERE first + 3600 * hours > since - 60 AND last + 3600 * hours < until + 60) JOIN file USING (file)
WHERE nth = 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(path), 'warning', 'job_at_another_time', NULL, count(*),
       'logs named like jobs which all ran at another time, the first like ' || min(job)
         || ': each is a job of its own. Check zone and year, theirs and the scheduler''s'
FROM (SELECT f.source, f.path, m.job
      FROM (SELECT file FROM log_time GROUP BY file) AS l JOIN file AS f ON f.file = l.file
      LEFT JOIN same_names AS k ON k.file = l.file
      JOIN (SELECT file, min(job) AS job FROM may_be GROUP BY file) AS m ON m.file = coalesce(k.as_file, l.file)
      WHERE f.job IS NULL AND l.file NOT IN (SELECT file FROM ambiguous) AND l.file NOT IN (SELECT file FROM by_time))
GROUP BY source;

DROP TABLE at_once;
DROP TABLE held;
DROP TABLE mixed;
DROP TABLE spoke;
DROP TABLE beyond;
DROP TABLE said_of;
DROP TABLE log_time;
