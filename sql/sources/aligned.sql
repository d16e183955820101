-- aligned.sql - gives the SQL that takes the clock of one log of a job for another that has none; none if there are no two such logs.
--
-- Runs after placed.sql. A program's output without times, beside its tracker's log or its event files, would tell the same steps at other
-- times, as if they ran twice. If both logs come about as far, a step of the one without a clock ends when the other says so of the same
-- number; of several, as after a restart, at the nearest time within the attempt. Steps that the other log lacks, and what lies between
-- steps, move with the step before.

WITH log AS (
  SELECT source, path, rtrim(rtrim(path, replace(path, '/', '')), '/') AS folder, job, start IS NOT NULL AS is_clockless
  FROM file JOIN source USING (source)
  WHERE rank = 3 AND job IS NOT NULL AND EXISTS (SELECT 1 FROM file WHERE source IS NOT NULL AND start IS NOT NULL)
),
both AS (SELECT job FROM log GROUP BY job HAVING min(is_clockless) < max(is_clockless)),
needed AS (SELECT source, min(is_clockless) AS all_clockless, max(is_clockless) AS is_clockless
           FROM log WHERE job IN (SELECT job FROM both) GROUP BY source),
has AS (SELECT n.* FROM needed AS n, pragma_table_info('spans_of_' || n.source, 'temp') AS c
        WHERE c.name IN ('attempt', 'step') GROUP BY n.source HAVING count(*) = 2)
SELECT coalesce((SELECT '
CREATE TABLE clock_of AS -- which job a log is of, by each name that its spans have
WITH log AS (
  SELECT source, path, rtrim(rtrim(path, replace(path, ''/'', '''')), ''/'') AS folder, job, start IS NOT NULL AS is_clockless
  FROM file JOIN source USING (source) WHERE rank = 3 AND job IS NOT NULL
)
SELECT source, name, min(job) AS job, max(is_clockless) AS is_clockless
FROM (SELECT source, path AS name, job, is_clockless FROM log UNION SELECT source, folder, job, is_clockless FROM log UNION SELECT source, job, job, is_clockless FROM log)
WHERE job IN (SELECT job FROM log GROUP BY job HAVING min(is_clockless) < max(is_clockless)) GROUP BY source, name HAVING count(DISTINCT job || is_clockless) = 1;
CREATE UNIQUE INDEX clock_of_name ON clock_of(name, source);
CREATE TABLE clock_step AS '
|| (SELECT group_concat('
SELECT l.job, s.step, s.end_time FROM temp.spans_of_' || source || ' AS s CROSS JOIN clock_of AS l ON l.name = s.job AND l.source = ' || source || '
WHERE s.kind = ''step'' AND s.step IS NOT NULL AND typeof(s.end_time) IN (''integer'', ''real'') AND NOT l.is_clockless', ' UNION ALL') FROM has WHERE NOT all_clockless) || ';
CREATE TABLE IF NOT EXISTS attempt_of(job TEXT, since);
CREATE INDEX clock_step_of ON clock_step(job, step, end_time);'
|| '
CREATE TABLE alike AS -- and come about as far: else they are of two runs, one after the other
WITH reached AS (' || (SELECT group_concat('
  SELECT l.job, max(s.step) AS last FROM temp.spans_of_' || source || ' AS s CROSS JOIN clock_of AS l ON l.source = ' || source || ' AND l.name = iif(s.job GLOB ''*#[0-9]*'', rtrim(rtrim(s.job, ''0123456789''), ''#''), s.job)
  WHERE l.is_clockless AND s.kind = ''step'' GROUP BY l.job', ' UNION ALL') FROM has WHERE is_clockless) || '
)
SELECT job FROM (SELECT job, max(last) AS last FROM reached GROUP BY job) AS r JOIN (SELECT job, max(step) AS told FROM clock_step GROUP BY job) AS c USING (job)
WHERE told >= 0.9 * last - 1 AND (told <= 1.1 * last + 1 OR job IN (SELECT job FROM attempt_of));'
|| group_concat('
CREATE TABLE aligned_' || source || ' AS
WITH own AS (
  SELECT s.rowid AS row, s.job, s.attempt, s.start_time, s.end_time,
         iif(s.kind = ''step'', (SELECT min(c.end_time) FROM clock_step AS c WHERE c.job = l.job AND c.step = s.step AND c.end_time >= s.end_time
                                       AND NOT EXISTS (SELECT 1 FROM attempt_of AS a WHERE a.job = l.job AND a.since > s.end_time AND a.since <= c.end_time)) - s.end_time, NULL) AS later,
         iif(s.kind = ''step'', (SELECT max(c.end_time) FROM clock_step AS c WHERE c.job = l.job AND c.step = s.step AND c.end_time < s.end_time
                                       AND NOT EXISTS (SELECT 1 FROM attempt_of AS a WHERE a.job = l.job AND a.since > c.end_time AND a.since <= s.end_time)) - s.end_time, NULL) AS earlier
  FROM temp.spans_of_' || source || ' AS s CROSS JOIN clock_of AS l ON l.source = ' || source || ' AND l.name = iif(s.job GLOB ''*#[0-9]*'', rtrim(rtrim(s.job, ''0123456789''), ''#''), s.job)
  WHERE l.is_clockless AND l.job IN (SELECT job FROM alike) AND typeof(s.start_time) IN (''integer'', ''real'')
),
known AS (SELECT *, iif(later < - earlier OR earlier IS NULL, later, earlier) AS shift FROM own),
numbered AS (SELECT *, count(shift) OVER (PARTITION BY job, attempt ORDER BY start_time, end_time, row ROWS UNBOUNDED PRECEDING) AS nth FROM known)
SELECT row, job, attempt, start_time, coalesce(max(shift) OVER (PARTITION BY job, attempt, nth), max(iif(nth = 1, shift, NULL)) OVER (PARTITION BY job, attempt)) AS shift FROM numbered;
UPDATE temp.spans_of_' || source || ' SET start_time = spans_of_' || source || '.start_time + a.shift, end_time = end_time + a.shift
FROM main.aligned_' || source || ' AS a WHERE a.row = spans_of_' || source || '.rowid AND a.shift IS NOT NULL;
UPDATE temp.spans_of_' || source || ' SET start_time = b.reached -- a clock''s second apart
FROM (SELECT rowid AS row, max(end_time) OVER (PARTITION BY job, attempt ORDER BY step, start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
      FROM temp.spans_of_' || source || ' WHERE kind = ''step'' AND rowid IN (SELECT row FROM main.aligned_' || source || ' WHERE shift IS NOT NULL)) AS b
WHERE b.row = spans_of_' || source || '.rowid AND start_time < b.reached AND b.reached < end_time;
UPDATE all_commits SET snapshot_time = snapshot_time + c.shift, durable_time = durable_time + c.shift
FROM (SELECT k.rowid AS row, (SELECT a.shift FROM aligned_' || source || ' AS a WHERE a.job = k.job AND a.attempt IS k.attempt AND a.start_time <= coalesce(k.snapshot_time, k.durable_time) ORDER BY a.start_time DESC LIMIT 1) AS shift
      FROM all_commits AS k WHERE k.source = ' || source || ' AND k.job IN (SELECT job FROM aligned_' || source || ' WHERE shift IS NOT NULL)) AS c
WHERE c.row = all_commits.rowid AND c.shift IS NOT NULL;
UPDATE file SET inferred = json_set(inferred, ''$.start'', ''the times of another log of its job'')
WHERE source = ' || source || ' AND start IS NOT NULL AND path IN (SELECT iif(job GLOB ''*#[0-9]*'', rtrim(rtrim(job, ''0123456789''), ''#''), job) FROM aligned_' || source || ' WHERE shift IS NOT NULL);', '')
FROM has WHERE is_clockless AND EXISTS (SELECT 1 FROM has WHERE NOT all_clockless) GROUP BY NULL), '');
