-- placed.sql - gives the SQL that puts logs whose times their job told in part at the attempts that they are of; none if there is no such
-- log.
--
-- Runs after the trainers' scripts and before by_time.sql, if there is a scheduler. A log without a clock was read as if it began with its
-- job, or with the pod that it names, and went on without a pause. But each of its runs, and of the logs whose names differ in a number,
-- belongs to an attempt. If there are as many runs as attempts, the first run is of the first attempt, and so on. If there are fewer, they
-- are of the last attempts, for Slurm truncates a log at a requeue, unless one is too long for its attempt. If there are more, as of a
-- launcher that begins anew by itself, each run follows the one before where it fits. Several logs of one attempt, each of which goes on
-- with the steps of another, follow each other, too. A log without a year is of the year in which its job began, or of the next.

WITH clockless AS (SELECT 1 FROM file WHERE source IS NOT NULL AND start IS NOT NULL LIMIT 1),
spoken AS (SELECT source FROM source AS s WHERE rank = 3 AND json_extract(records, '$.spans') > 0
           AND EXISTS (SELECT 1 FROM file AS f
                       WHERE f.source = s.source AND (start IS NOT NULL OR json_extract(inferred, '$.year') IS NOT NULL))),
has AS (SELECT t.source FROM spoken AS t, pragma_table_info('spans_of_' || t.source, 'temp') AS c
        WHERE c.name IN ('attempt', 'step') GROUP BY t.source HAVING count(*) = 2)
SELECT coalesce((SELECT '
UPDATE file SET start = NULL WHERE json_extract(inferred, ''$.start'') = ''the clock of a part'';
CREATE TABLE log_steps AS
' || group_concat('SELECT ' || source || ' AS source, job, attempt, min(step) AS first, max(step) AS last, max(coalesce(end_time, start_time)) AS end_time FROM temp.spans_of_' || source || ' GROUP BY job, attempt', ' UNION ALL ') || ';
CREATE UNIQUE INDEX log_steps_of ON log_steps(job, source, attempt);
CREATE TABLE log_run AS
SELECT f.file, f.job AS of_job, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
         f.path, ''0'', ''''), ''1'', ''''), ''2'', ''''), ''3'', ''''), ''4'', ''''), ''5'', ''''), ''6'', ''''), ''7'', ''''), ''8'', ''''), ''9'', '''') AS stem,
       f.path, a.source, a.job AS was, a.attempt, a.start_time, coalesce(a.end_time, s.end_time, a.start_time) AS end_time, s.first, s.last
FROM (SELECT * FROM all_allocations WHERE source IN (SELECT source FROM source WHERE rank = 3) AND typeof(start_time) IN (''integer'', ''real'')) AS a
JOIN file AS f ON f.path IN (a.job, iif(a.job GLOB ''*#[0-9]*'', rtrim(rtrim(a.job, ''0123456789''), ''#''), a.job)) AND +f.source = a.source
LEFT JOIN log_steps AS s ON s.job = a.job AND s.source = a.source AND s.attempt IS a.attempt
WHERE coalesce(f.start, json_extract(f.inferred, ''$.year'')) IS NOT NULL
GROUP BY a.source, a.job, a.attempt;
CREATE TABLE placed(source INTEGER, was TEXT, attempt INTEGER, shift REAL, PRIMARY KEY (was, source, attempt)) WITHOUT ROWID;
INSERT INTO placed
SELECT r.source, r.was, r.attempt, CAST(strftime(''%s'', l.first, ''unixepoch'', ''+1 year'') AS INTEGER) - CAST(l.first AS INTEGER)
FROM (SELECT file, min(start_time) AS first, max(end_time) AS last FROM log_run GROUP BY file) AS l
LEFT JOIN same_names AS k ON k.file = l.file
JOIN (SELECT m.file, min(a.start_time) AS first, max(coalesce(a.end_time, a.start_time)) AS last FROM may_be AS m CROSS JOIN all_allocations AS a ON a.job = m.job
      WHERE a.chips > 0 AND a.source IN (SELECT source FROM source WHERE rank = 1) GROUP BY m.file) AS j ON j.file = coalesce(k.as_file, l.file)
JOIN file AS f ON f.file = l.file JOIN log_run AS r ON r.file = l.file
WHERE json_extract(f.inferred, ''$.year'') IS NOT NULL AND l.last < j.first - 86400 AND strftime(''%s'', l.first, ''unixepoch'', ''+1 year'') - j.last < 86400;
'
|| iif(EXISTS (SELECT 1 FROM clockless), '
INSERT OR IGNORE INTO placed -- of one run, whose name says when, if it is over by the end of the attempt that ran then
SELECT r.source, r.was, r.attempt, f.named - f.start
FROM (SELECT * FROM log_run WHERE file IN (SELECT file FROM file WHERE named IS NOT NULL) GROUP BY file HAVING count(*) = 1) AS r JOIN file AS f USING (file)
WHERE json_extract(f.inferred, ''$.start'') IN (''the start of its job'', ''the start of its pod'')
  AND EXISTS (SELECT 1 FROM all_allocations AS a WHERE a.job = r.of_job AND a.chips > 0 AND a.source IN (SELECT source FROM source WHERE rank = 1)
              GROUP BY coalesce(a.attempt, a.start_time)
              HAVING min(a.start_time) <= f.named AND f.named + r.end_time - r.start_time <= max(coalesce(a.end_time, 9e18)) + 60);
UPDATE file SET inferred = json_set(inferred, ''$.start'', ''the time in its name'') WHERE file IN (SELECT l.file FROM placed AS p JOIN log_run AS l USING (source, was, attempt));
INSERT OR IGNORE INTO placed -- a log to which several jobs add, which it names one after the other
SELECT r.source, r.was, r.attempt, a.since - r.start_time
FROM (SELECT *, row_number() OVER (PARTITION BY file ORDER BY start_time, attempt) AS nth, count(*) OVER (PARTITION BY file) AS n FROM log_run WHERE file IN (SELECT file FROM said_id)) AS r
JOIN (SELECT file, job, row_number() OVER w AS nth, count(*) OVER (PARTITION BY file) AS n
      FROM (SELECT file, line, job, lag(job) OVER (PARTITION BY file ORDER BY line) AS before FROM said_id WHERE line IS NOT NULL) WHERE before IS NOT job WINDOW w AS (PARTITION BY file ORDER BY line)) AS i USING (file, nth, n)
JOIN file AS f ON f.file = r.file AND f.start IS NOT NULL
JOIN (SELECT job, min(start_time) AS since FROM all_allocations WHERE job IN (SELECT job FROM said_id) AND chips > 0 AND source IN (SELECT source FROM source WHERE rank = 1) GROUP BY job) AS a ON a.job = i.job
WHERE a.since <> r.start_time;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT f.path, ''warning'', ''ambiguous_job'', NULL, 1, ''names '' || s.n || '' jobs, first '' || f.job || '', which do not come one to a run, and its lines have no clock: all of it counts as of that one''
FROM file AS f JOIN (SELECT file, count(DISTINCT job) AS n FROM said_id WHERE line IS NOT NULL GROUP BY file HAVING count(DISTINCT job) > 1) AS s USING (file)
WHERE f.start IS NOT NULL AND f.source IS NOT NULL AND NOT EXISTS (SELECT 1 FROM placed AS p JOIN log_run AS l ON l.source = p.source AND l.was = p.was WHERE l.file = f.file);
CREATE TABLE attempt_of AS -- of jobs that have several
SELECT * FROM (
  SELECT job, min(start_time) AS since, max(coalesce(end_time, 9e18)) AS until, row_number() OVER (PARTITION BY job ORDER BY min(start_time)) AS nth, count(*) OVER (PARTITION BY job) AS n
  FROM all_allocations
  WHERE job IN (SELECT job FROM file WHERE source IS NOT NULL AND start IS NOT NULL)
    AND source IN (SELECT source FROM source WHERE rank = 1) AND chips > 0 AND typeof(start_time) IN (''integer'', ''real'') GROUP BY job, coalesce(attempt, start_time))
WHERE n > 1;
CREATE UNIQUE INDEX attempt_of_job ON attempt_of(job, nth);
CREATE TABLE log_order AS -- the runs of a job in their order; where its files are those of ranks, each file''s
WITH run AS (
  SELECT l.* FROM log_run AS l JOIN file AS f USING (file)
  WHERE l.of_job IN (SELECT job FROM attempt_of)
    AND (json_extract(f.inferred, ''$.start'') = ''the start of its job'' OR (f.start IS NOT NULL AND l.file IN (SELECT file FROM log_run GROUP BY file HAVING count(*) > 1)))
),
one AS (
  SELECT of_job FROM (SELECT of_job, file, stem, min(first) AS first, max(last) AS last FROM run GROUP BY of_job, file) GROUP BY of_job
  HAVING count(*) = 1 OR (count(DISTINCT stem) = 1 AND count(*) = count(DISTINCT first || '' '' || last) AND count(*) <= (SELECT n FROM attempt_of AS a WHERE a.job = of_job LIMIT 1))
)
SELECT unit, of_job, source, was, attempt, start_time, end_time - start_time AS seconds,
       row_number() OVER (PARTITION BY unit ORDER BY length(path), path, start_time, attempt) AS nth, count(*) OVER (PARTITION BY unit) AS n
FROM (SELECT *, of_job AS unit FROM run WHERE of_job IN (SELECT of_job FROM one)
      UNION ALL SELECT *, path FROM run WHERE of_job NOT IN (SELECT of_job FROM one) AND file IN (SELECT file FROM run GROUP BY file HAVING count(*) > 1));
CREATE UNIQUE INDEX log_order_of ON log_order(unit, nth);
CREATE TABLE log_place AS
WITH RECURSIVE later AS ( -- as many runs as attempts, or fewer: how many attempts the first run comes after the first attempt
  SELECT unit, max(skip) AS skip
  FROM (SELECT o.unit, s.nth - 1 AS skip
        FROM (SELECT DISTINCT l.unit, l.of_job, l.n, a.n AS attempts FROM log_order AS l JOIN attempt_of AS a ON a.job = l.of_job WHERE l.n <= a.n) AS o
        JOIN attempt_of AS s ON s.job = o.of_job AND s.nth <= 1 + o.attempts - o.n
        WHERE NOT EXISTS (SELECT 1 FROM log_order AS l JOIN attempt_of AS a ON a.job = l.of_job AND a.nth = l.nth + s.nth - 1 WHERE l.unit = o.unit AND l.seconds > a.until - a.since + 60))
  GROUP BY unit
),
follows(unit, of_job, nth, place, time) AS ( -- more
  SELECT l.unit, l.of_job, 1, 1, a.since FROM log_order AS l JOIN attempt_of AS a ON a.job = l.of_job AND a.nth = 1 WHERE l.nth = 1 AND l.n > a.n
  UNION ALL
  SELECT f.unit, f.of_job, f.nth + 1, iif(b.since IS NULL OR f.time + l.seconds + m.seconds <= a.until + 60, f.place, b.nth), iif(b.since IS NULL OR f.time + l.seconds + m.seconds <= a.until + 60, f.time + l.seconds, b.since)
  FROM follows AS f JOIN log_order AS l ON l.unit = f.unit AND l.nth = f.nth JOIN log_order AS m ON m.unit = f.unit AND m.nth = f.nth + 1
  JOIN attempt_of AS a ON a.job = f.of_job AND a.nth = f.place LEFT JOIN attempt_of AS b ON b.job = f.of_job AND b.nth = f.place + 1
)
SELECT l.unit, l.nth, a.since AS time FROM later AS s JOIN log_order AS l USING (unit) JOIN attempt_of AS a ON a.job = l.of_job AND a.nth = l.nth + s.skip
UNION ALL SELECT unit, nth, time FROM follows;
INSERT OR IGNORE INTO placed
SELECT l.source, l.was, l.attempt, p.time - l.start_time FROM log_place AS p JOIN log_order AS l USING (unit, nth) WHERE p.time <> l.start_time;
CREATE TABLE log_chain AS -- logs of one attempt that go on with each other, as those of a container that began anew in its pod
WITH log AS (
  SELECT l.of_job, l.file, min(l.start_time) AS began, min(l.first) AS first, max(l.last) AS last, max(l.end_time) - min(l.start_time) AS seconds
  FROM log_run AS l JOIN file AS f USING (file)
  WHERE l.of_job NOT IN (SELECT job FROM attempt_of) AND json_extract(f.inferred, ''$.start'') IN (''the start of its job'', ''the start of its pod'')
  GROUP BY l.of_job, l.file
),
chain AS (SELECT *, lag(first) OVER w AS first_before, lag(last) OVER w AS last_before, min(began) OVER w + sum(seconds) OVER w - seconds AS since FROM log WINDOW w AS (PARTITION BY of_job ORDER BY first))
SELECT file, since - began AS shift FROM chain
WHERE of_job IN (SELECT of_job FROM chain GROUP BY of_job HAVING count(*) > 1 AND count(*) = 1 + sum(first > first_before AND first <= last_before + 1)
                 AND max(since + seconds) <= (SELECT max(coalesce(a.end_time, 9e18)) + 60 FROM all_allocations AS a WHERE a.job = of_job AND a.source IN (SELECT source FROM source WHERE rank = 1)));
INSERT OR IGNORE INTO placed SELECT l.source, l.was, l.attempt, c.shift FROM log_chain AS c JOIN log_run AS l USING (file) WHERE c.shift <> 0;
UPDATE file SET inferred = json_set(inferred, ''$.start'', ''the end of the log that it goes on from'') WHERE file IN (SELECT file FROM log_chain WHERE shift <> 0);
UPDATE file SET inferred = json_set(inferred, ''$.start'', ''the starts of the attempts of its job'') WHERE source IS NOT NULL AND start IS NOT NULL AND path IN (SELECT iif(l.was GLOB ''*#[0-9]*'', rtrim(rtrim(l.was, ''0123456789''), ''#''), l.was) FROM log_place JOIN log_order AS l USING (unit, nth));', '')
|| '
UPDATE all_capacity SET start_time = all_capacity.start_time + p.shift, end_time = all_capacity.end_time + p.shift
FROM (SELECT c.rowid AS row, p.shift FROM placed AS p JOIN all_allocations AS a ON a.source = p.source AND a.job = p.was AND a.attempt IS p.attempt
      JOIN all_capacity AS c ON c.source = a.source AND c.pool = a.pool AND c.start_time = a.start_time AND c.chips = a.chips GROUP BY c.rowid) AS p WHERE p.row = all_capacity.rowid;
UPDATE all_allocations SET start_time = start_time + p.shift, end_time = end_time + p.shift FROM placed AS p WHERE p.source = all_allocations.source AND p.was = all_allocations.job AND p.attempt IS all_allocations.attempt;
UPDATE all_commits SET snapshot_time = snapshot_time + p.shift, durable_time = durable_time + p.shift FROM placed AS p WHERE p.source = all_commits.source AND p.was = all_commits.job AND p.attempt IS all_commits.attempt;'
|| group_concat('
UPDATE temp.spans_of_' || source || ' SET start_time = start_time + p.shift, end_time = end_time + p.shift FROM main.placed AS p WHERE p.source = ' || source || ' AND p.was = job AND p.attempt IS spans_of_' || source || '.attempt;', '')
FROM has GROUP BY NULL), '');
