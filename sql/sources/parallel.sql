-- parallel.sql - gives the SQL that leaves out the steps of a log which another log of the same job tells as well, at the same time.
--
-- Runs between join.sql and spans.sql. A trainer's own log, a tracker and an event file beside each other tell one run: the one that covers
-- most counts; of those that cover nearly as much, the one that has FLOPs. Steps of the others that lie in its time would be restarts. What
-- else they tell (saves, restores) stays.

WITH spoken AS MATERIALIZED (SELECT source FROM source WHERE rank = 3 AND json_extract(records, '$.spans') > 0),
log AS (
  SELECT source, was, job FROM renamed WHERE source IN (SELECT source FROM spoken)
  UNION SELECT source, was, job FROM by_time WHERE source IN (SELECT source FROM spoken)
  -- a scheduler's are many
  UNION SELECT source, job, job FROM all_jobs WHERE EXISTS (SELECT 1 FROM spoken) AND source IN (SELECT source FROM spoken)
),
several AS (
  SELECT job FROM log GROUP BY job HAVING count(DISTINCT source) > 1 OR sum(was <> job) > 1
),
told AS (
  SELECT source, iif(EXISTS (SELECT 1 FROM by_time AS b WHERE b.source = spoken.source), '
  AND l.job = coalesce((SELECT b.job FROM main.by_time AS b WHERE b.source = ' || source || ' AND b.was = s.job AND b.since <= s.start_time ORDER BY b.since DESC LIMIT 1), l.job)', '') AS by_time_of
  FROM spoken WHERE EXISTS (SELECT 1 FROM several)
),
has AS (SELECT t.source, c.name FROM told AS t, pragma_table_info('spans_of_' || t.source, 'temp') AS c)
SELECT coalesce((SELECT '
CREATE TABLE log_of AS
WITH spoken AS MATERIALIZED (SELECT source FROM source WHERE rank = 3 AND json_extract(records, ''$.spans'') > 0),
log AS (
  SELECT source, was, job FROM renamed WHERE source IN (SELECT source FROM spoken)
  UNION SELECT source, was, job FROM by_time WHERE source IN (SELECT source FROM spoken)
  UNION SELECT source, job, job FROM all_jobs WHERE source IN (SELECT source FROM spoken)
)
SELECT source, was, job FROM log WHERE job IN (SELECT job FROM log GROUP BY job HAVING count(DISTINCT source) > 1 OR sum(was <> job) > 1);
CREATE UNIQUE INDEX log_of_was ON log_of(was, source, job);
CREATE TABLE told_step(job, log INTEGER, attempt, source INTEGER, row INTEGER, step, start_time REAL, end_time REAL, flops);'
|| group_concat('
INSERT INTO told_step
SELECT l.job, l.rowid, '
    || iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'attempt'), 's.attempt', 'NULL') || ', ' || source
    || ', s.rowid, '
    || iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'step'), 's.step', 'NULL') || ', s.start_time, s.end_time, '
    || iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'flops'), 's.flops', 'NULL') || '
FROM temp.spans_of_' || source || ' AS s CROSS JOIN log_of AS l ON l.was = s.job AND l.source = ' || source || '
WHERE s.kind = ''step'' AND typeof(s.start_time) IN (''integer'', ''real'') AND s.start_time > 1e8 AND s.end_time > s.start_time'
|| by_time_of || ';', '') || '
CREATE TABLE told_log AS -- an attempt of a log: those of one log are beside each other where files of several ranks are one job''s
SELECT job, log, attempt, source, row_number() OVER (PARTITION BY job ORDER BY whole > 0.9 * most DESC, rated DESC, whole DESC, log, covered DESC, attempt) AS place
FROM (SELECT *, max(whole) OVER (PARTITION BY job) AS most
      FROM (SELECT *, sum(covered) OVER (PARTITION BY job, log) AS whole, max(is_rated) OVER (PARTITION BY job, log) AS rated
            FROM (SELECT job, log, attempt, source, coalesce(max(flops > 0), 0) AS is_rated, interval_union(start_time, end_time) AS covered FROM told_step GROUP BY job, log, attempt)));
CREATE INDEX told_log_of ON told_log(log, attempt);
CREATE TABLE told_run AS
WITH ordered AS (
  SELECT job, log, attempt, step, start_time, end_time, max(end_time) OVER (PARTITION BY log, attempt ORDER BY start_time, end_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached FROM told_step
),
numbered AS (SELECT *, sum(coalesce(start_time > reached + 60, 1)) OVER (PARTITION BY log, attempt ORDER BY start_time, end_time ROWS UNBOUNDED PRECEDING) AS run FROM ordered)
SELECT n.job, l.place, n.log, n.attempt, CAST(min(start_time) AS REAL) AS start_time, max(end_time) AS end_time, (max(start_time) + max(end_time)) / 2 AS last_middle, min(step) AS first, max(step) AS last FROM numbered AS n JOIN told_log AS l ON l.log = n.log AND l.attempt IS n.attempt GROUP BY n.log, n.attempt, n.run;
CREATE INDEX told_run_of ON told_run(job, start_time);
CREATE TABLE told_length(job PRIMARY KEY, longest) WITHOUT ROWID; -- no run that reaches into a step begins earlier than that before it
INSERT INTO told_length SELECT job, max(end_time - start_time) + 1 FROM told_run GROUP BY job;
CREATE TABLE told_again AS
SELECT t.job, t.log, t.attempt, t.source, t.row, t.step, t.start_time, min(r.log) AS other
FROM told_step AS t JOIN told_log AS l ON l.log = t.log AND l.attempt IS t.attempt CROSS JOIN told_run AS r ON r.job = t.job AND r.place < l.place AND r.end_time > t.start_time
  AND r.start_time < t.end_time AND r.start_time > t.start_time - (SELECT m.longest FROM told_length AS m WHERE m.job = t.job)
GROUP BY t.source, t.row HAVING sum(min(t.end_time, r.end_time) - max(t.start_time, r.start_time)) > 0.25 * (t.end_time - t.start_time)
  OR max(t.start_time >= r.start_time AND t.start_time < r.last_middle AND t.step <= r.last + 1); -- a last step may last until its program ends
INSERT INTO told_again -- and what the other did first or last, where their clocks differ by more than a step
SELECT t.job, t.log, t.attempt, t.source, t.row, t.step, t.start_time, g.other
FROM (SELECT g.*, r.first, r.last, r.start_time AS since, r.end_time AS until
      FROM (SELECT job, log, attempt, min(step) AS low, max(step) AS high, min(start_time) AS begun, max(start_time) AS ended, min(other) AS other FROM told_again GROUP BY log, attempt) AS g
      JOIN told_log AS l ON l.log = g.log AND l.attempt IS g.attempt
      JOIN told_run AS r ON r.job = g.job AND r.place < l.place
      WHERE r.last > g.high AND abs(r.end_time - g.ended) <= 60 OR r.first < g.low AND abs(r.start_time - g.begun) <= 60) AS g
CROSS JOIN told_step AS t ON t.log = g.log AND t.attempt IS g.attempt
  AND (t.step > g.high AND t.step <= g.last AND t.start_time BETWEEN g.ended AND g.until + 60 OR t.step < g.low AND t.step >= g.first AND t.start_time BETWEEN g.since - 60 AND g.since)
GROUP BY t.source, t.row;
CREATE INDEX told_again_of ON told_again(source, row);
CREATE INDEX told_again_at ON told_again(log, start_time);
CREATE TABLE told_more AS -- of logs with chips of their own: the work that is done at the time of a step that counts
WITH own AS MATERIALIZED (SELECT l.rowid AS log FROM own_chips AS o CROSS JOIN log_of AS l ON l.source = o.source AND l.was = o.was AND l.job = o.job),
kept AS MATERIALIZED (
  SELECT t.*, max(end_time - start_time) OVER (PARTITION BY job) AS longest FROM (SELECT 1 FROM own LIMIT 1) CROSS JOIN told_step AS t
  WHERE log IN (SELECT log FROM own) AND NOT EXISTS (SELECT 1 FROM told_again AS a WHERE a.source = t.source AND a.row = t.row)
)
SELECT k.source, k.row, t.log, sum(t.flops * (min(k.end_time, t.end_time) - max(k.start_time, t.start_time)) / (t.end_time - t.start_time)) AS flops
FROM own AS o CROSS JOIN told_again AS a ON a.log = o.log CROSS JOIN told_step AS t ON t.source = a.source AND t.row = a.row
JOIN kept AS k ON k.job = t.job AND k.start_time BETWEEN t.start_time - k.longest AND t.end_time AND k.end_time > t.start_time
WHERE k.start_time < t.end_time AND t.flops > 0 AND k.flops > 0 AND NOT (k.start_time = t.start_time AND k.end_time = t.end_time) -- a copy
GROUP BY k.source, k.row, t.log;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT path FROM file AS f WHERE f.source = l.source AND f.path = l.was), (SELECT min(path) FROM file AS f WHERE f.source = l.source)), ''info'', ''parallel_files'', NULL, count(*),
       ''steps of job '' || a.job || '' at the time of those of '' || iif(o.rowid = l.rowid, ''another file of the same job'', coalesce((SELECT path FROM file AS f WHERE f.source = o.source AND f.path = o.was), (SELECT min(path) FROM file AS f WHERE f.source = o.source))) || '', which tells more of them: left out'' || iif(a.log IN (SELECT log FROM told_more), '', but for their FLOPs, as the logs tell of chips of their own'', ''. If each holds chips of its own, as replicas of torchft, give the option chips: all of them'')
FROM told_again AS a JOIN log_of AS l ON l.rowid = a.log JOIN log_of AS o ON o.rowid = a.other GROUP BY a.log, a.other;'
|| '
-- A restore that both tell is the other's. One that the other does not tell comes before the step that it does then, though clocks differ.
CREATE TABLE told_restore(job, place INTEGER, is_again INTEGER, source INTEGER, row INTEGER, step, start_time REAL);'
|| group_concat(iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'step'), '
INSERT INTO told_restore
SELECT l.job, g.place, (g.log, coalesce(g.attempt, -1)) IN (SELECT log, coalesce(attempt, -1) FROM told_again), ' || source || ', s.rowid,
       s.step, s.start_time
FROM (SELECT 1 FROM told_again LIMIT 1) CROSS JOIN temp.spans_of_' || source || ' AS s
CROSS JOIN log_of AS l ON l.was = s.job AND l.source = ' || source || '
CROSS JOIN told_log AS g ON g.log = l.rowid
  AND g.attempt IS ' || iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'attempt'), 's.attempt', 'NULL') || '
WHERE s.kind = ''restore'' AND s.step IS NOT NULL AND typeof(s.start_time) IN (''integer'', ''real'')' || by_time_of || ';', ''), '') || '
CREATE INDEX told_restore_of ON told_restore(job, step);
CREATE TABLE moved_restore AS -- to when; NULL: left out
SELECT x.source, x.row, NULL AS time
FROM told_restore AS x JOIN told_restore AS y ON y.job = x.job AND y.step = x.step AND y.place < x.place
  AND abs(y.start_time - x.start_time) <= 600
WHERE x.is_again GROUP BY x.source, x.row;
INSERT INTO moved_restore
SELECT source, row, time
FROM (SELECT x.source, x.row, x.start_time, t.start_time AS time,
             row_number() OVER (PARTITION BY x.source, x.row ORDER BY abs(t.start_time - x.start_time)) AS nth
      FROM (SELECT 1 FROM told_restore LIMIT 1) CROSS JOIN told_step AS t
      CROSS JOIN told_restore AS x ON x.job = t.job AND x.step IN (t.step, t.step - 1) AND abs(t.start_time - x.start_time) < 60
      CROSS JOIN told_log AS g ON g.log = t.log AND g.attempt IS t.attempt AND g.place < x.place
      WHERE x.is_again AND iif((x.source, x.row) IN (SELECT source, row FROM moved_restore), 0, 1))
WHERE nth = 1 AND time < start_time;'
|| group_concat('
DELETE FROM temp.spans_of_' || source || ' WHERE rowid IN (SELECT row FROM moved_restore WHERE source = ' || source || ' AND time IS NULL);
UPDATE temp.spans_of_' || source || ' SET start_time = m.time, end_time = m.time
FROM main.moved_restore AS m WHERE m.source = ' || source || ' AND m.time IS NOT NULL AND m.row = spans_of_' || source || '.rowid;', '')
|| group_concat(iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'flops'), '
UPDATE temp.spans_of_' || source || ' SET flops = flops + m.more
FROM (SELECT row, sum(flops) AS more FROM main.told_more WHERE source = ' || source || ' GROUP BY row) AS m WHERE m.row = spans_of_' || source || '.rowid;', ''), '')
|| group_concat('
DELETE FROM temp.spans_of_' || source || ' WHERE rowid IN (
  SELECT s.rowid FROM (SELECT 1 FROM told_again WHERE source = ' || source || ' LIMIT 1) CROSS JOIN temp.spans_of_' || source || ' AS s
  CROSS JOIN log_of AS l ON l.was = s.job AND l.source = ' || source || '
  WHERE s.kind IN (''init'', ''compile'')
    AND EXISTS (SELECT 1 FROM told_again AS g
                WHERE g.log = l.rowid AND g.start_time
                  = iif(s.kind = ''init'', s.end_time,
                        s.start_time)' || iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'attempt'), '
                  AND g.attempt IS s.attempt', '') || '));
DELETE FROM temp.spans_of_' || source || ' WHERE rowid IN (SELECT row FROM told_again WHERE source = ' || source || ');'
|| iif(EXISTS (SELECT 1 FROM has AS h WHERE h.source = told.source AND h.name = 'attempt'), '
UPDATE temp.spans_of_' || source || ' SET attempt = NULL
WHERE EXISTS (SELECT 1 FROM told_again)
  AND job IN (SELECT was FROM log_of WHERE source = ' || source || ' AND job IN (SELECT job FROM told_again));', ''), '') || '
-- Their chips are those of the other: without a scheduler each log has some. What a log tells before or after all that the other does has
-- its own.
CREATE TABLE held_again AS
SELECT a.rowid AS row, a.source, a.pool, a.chips, a.start_time, a.end_time,
       max(max(u.last, coalesce(o.end_time, u.last))) FILTER (WHERE u.last <= k.last) AS since,
       min(min(u.first, o.start_time)) FILTER (WHERE u.first >= k.first) AS until
FROM (SELECT DISTINCT job, log, attempt, source FROM told_again) AS g JOIN told_log AS l ON l.log = g.log AND l.attempt IS g.attempt
JOIN told_log AS b ON b.job = g.job AND b.place < l.place AND (b.source <> g.source OR b.attempt <> g.attempt)
JOIN (SELECT log, attempt, min(start_time) AS first, max(end_time) AS last FROM told_run GROUP BY log, attempt) AS u ON u.log = b.log
  AND u.attempt IS b.attempt
LEFT JOIN (SELECT log, attempt, min(end_time) AS first, max(start_time) AS last
           FROM told_step AS t WHERE NOT EXISTS (SELECT 1 FROM told_again AS d WHERE d.source = t.source AND d.row = t.row)
           GROUP BY log, attempt) AS k ON k.log = g.log AND k.attempt IS g.attempt
JOIN all_allocations AS a ON a.source = g.source AND a.job = g.job AND coalesce(a.attempt = g.attempt, b.source <> g.source)
JOIN all_allocations AS o ON o.source = b.source AND o.job = g.job AND coalesce(o.attempt = b.attempt, b.source <> g.source)
WHERE a.start_time < coalesce(o.end_time, 9e18) AND o.start_time < coalesce(a.end_time, 9e18) GROUP BY a.rowid;
UPDATE held_again SET since = NULL, until = NULL WHERE since >= end_time OR since IS NULL AND until <= start_time;
CREATE TABLE held_by AS -- the last attempt of one source says how the job ended
SELECT o.rowid AS row, max(a.attempt) AS attempt, a.outcome AS outcome, a.end_time AS end_time,
       (SELECT max(c.end_time) FROM all_capacity AS c
        WHERE c.source = a.source AND c.pool IS a.pool AND c.chips IS a.chips AND c.start_time IS a.start_time) AS until
FROM held_again AS h CROSS JOIN all_allocations AS a ON a.rowid = h.row
CROSS JOIN all_allocations AS o ON o.job = a.job AND o.source = a.source AND o.attempt < a.attempt
WHERE coalesce(h.since, h.until) IS NULL AND o.rowid NOT IN (SELECT row FROM held_again) AND a.start_time < coalesce(o.end_time, 9e18)
  AND o.start_time < coalesce(a.end_time, 9e18) GROUP BY o.rowid;
INSERT INTO held_by -- and a log of another source, where that which counts knows no end, as an event file
SELECT o.rowid, max(a.attempt), a.outcome, a.end_time,
       (SELECT max(c.end_time) FROM all_capacity AS c
        WHERE c.source = a.source AND c.pool IS a.pool AND c.chips IS a.chips AND c.start_time IS a.start_time)
FROM held_again AS h CROSS JOIN all_allocations AS a ON a.rowid = h.row
CROSS JOIN all_allocations AS o ON o.job = a.job AND o.source <> a.source
WHERE coalesce(h.since, h.until) IS NULL AND a.outcome IS NOT NULL AND o.end_time IS NULL AND o.rowid NOT IN (SELECT row FROM held_again)
  AND o.rowid NOT IN (SELECT row FROM held_by) AND a.end_time > o.start_time
  AND a.end_time >= (SELECT max(r.end_time) - 60 FROM told_run AS r JOIN told_log AS l ON l.log = r.log AND l.attempt IS r.attempt
                     WHERE r.job = o.job AND l.source = o.source) GROUP BY o.rowid;
UPDATE all_capacity SET end_time = h.until
FROM (SELECT a.source, a.pool, a.chips, a.start_time, max(b.until) AS until
      FROM held_by AS b CROSS JOIN all_allocations AS a ON a.rowid = b.row GROUP BY 1, 2, 3, 4) AS h
WHERE all_capacity.source = h.source AND all_capacity.pool IS h.pool AND all_capacity.chips IS h.chips
  AND all_capacity.start_time IS h.start_time AND all_capacity.end_time < h.until;
UPDATE all_allocations SET outcome = h.told, end_time = iif(h.ended IS NULL, NULL, max(coalesce(end_time, h.ended), h.ended))
FROM (SELECT row, outcome AS told, end_time AS ended FROM held_by) AS h WHERE h.row = all_allocations.rowid;
CREATE TABLE has_again AS
WITH h AS (SELECT *, row_number() OVER (PARTITION BY source, pool, chips, start_time ORDER BY row) AS nth FROM held_again),
c AS (SELECT rowid AS row, source, pool, chips, start_time,
             row_number() OVER (PARTITION BY source, pool, chips, start_time ORDER BY rowid DESC) AS nth
      FROM all_capacity WHERE source IN (SELECT source FROM held_again))
SELECT c.row, since, until FROM h
JOIN c ON c.source = h.source AND c.pool IS h.pool AND c.start_time IS h.start_time AND c.chips IS h.chips AND c.nth = h.nth;
UPDATE all_capacity SET start_time = coalesce(h.since, start_time), end_time = iif(h.since IS NULL, h.until, end_time)
FROM has_again AS h WHERE h.row = all_capacity.rowid AND coalesce(h.since, h.until) IS NOT NULL;
UPDATE all_allocations SET start_time = coalesce(h.since, start_time), end_time = iif(h.since IS NULL, h.until, end_time)
FROM (SELECT row, since, until FROM held_again) AS h WHERE h.row = all_allocations.rowid AND coalesce(h.since, h.until) IS NOT NULL;
DELETE FROM all_capacity WHERE rowid IN (SELECT row FROM has_again WHERE coalesce(since, until) IS NULL);
DELETE FROM all_allocations WHERE rowid IN (SELECT row FROM held_again WHERE coalesce(since, until) IS NULL);
UPDATE all_allocations SET end_time = h.since
FROM (SELECT a.rowid AS row, h.since
      FROM held_again AS h CROSS JOIN all_allocations AS b ON b.rowid = h.row
      CROSS JOIN all_allocations AS a ON a.job = b.job AND a.source <> b.source
  WHERE h.since IS NOT NULL AND a.end_time IS NULL AND a.start_time < h.since) AS h WHERE h.row = all_allocations.rowid;
UPDATE all_allocations SET attempt = NULL WHERE job IN (SELECT job FROM told_again) AND source IN (SELECT source FROM told_log);
UPDATE all_commits SET attempt = NULL
WHERE job IN (SELECT job FROM told_again) AND source IN (SELECT source FROM told_log);' FROM told WHERE true GROUP BY NULL), '');
