-- across.sql - gives the SQL that cuts steps which begin in one attempt of their job and end in a later one, by what the scheduler says.
--
-- Runs between join.sql and parallel.sql, if there is a scheduler. A tracker logs when a step ended; its length is the time since the
-- value before. Over a requeue, that time also holds the rest of the first attempt, the wait, and the start of the next attempt. The step
-- was done in the attempt in which it ended, and took as long as most steps do. (No attempt does a step within a second: schedulers count
-- whole seconds, and the part in the next one is left out.) A span may also begin a little before its attempt, and in
-- no other, if the clock of a node is some seconds behind the scheduler's: then the part outside is left out, as is a part beyond the
-- attempt's end. The same holds for a span of the native trace that names no attempt; other spans of it keep their times.

WITH spoken AS MATERIALIZED (SELECT source FROM source WHERE rank IN (2, 3) AND json_extract(records, '$.spans') > 0),
log AS (
  SELECT source, was, job FROM renamed WHERE source IN (SELECT source FROM spoken)
  UNION SELECT source, was, job FROM by_time WHERE source IN (SELECT source FROM spoken)
  UNION SELECT source, job, job FROM all_jobs WHERE EXISTS (SELECT 1 FROM spoken) AND source IN (SELECT source FROM spoken)
  UNION SELECT source, alias, alias FROM all_aliases -- jobs to which a native trace refers without a record of them
  WHERE source IN (SELECT k.source FROM spoken JOIN source AS k USING (source) WHERE k.rank = 2)
    AND iif((source, alias) IN (SELECT source, was FROM renamed), 0, 1)
),
held AS ( -- reached: the latest end of the allocations before
  SELECT job, attempt, chips, start_time,
         max(coalesce(end_time, 9e18)) OVER (PARTITION BY job
                                             ORDER BY start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached,
         coalesce(end_time, 9e18) AS end_time
  FROM all_allocations WHERE job IN (SELECT job FROM log) AND source IN (SELECT source FROM source WHERE rank = 1)
    AND typeof(start_time) IN ('integer', 'real')
),
numbered AS ( -- the scheduler's attempts; without any, those that a gap parts are counted
  SELECT job, attempt, coalesce(attempt,
                                iif(max(attempt) OVER (PARTITION BY job) IS NULL,
                                    sum(coalesce(start_time > reached, 1)) OVER (PARTITION BY job ORDER BY start_time), NULL)) AS number,
         chips, start_time, end_time FROM held
),
keyed AS ( -- logs of one job share its key, for a job may have many; a log of several jobs has a key of its own (was: the log's own name)
  SELECT source, was, iif(count(*) = 1, 'job ' || min(job), 'log ' || was) AS key FROM log GROUP BY source, was
),
ran AS ( -- the same for each key
  SELECT k.source, k.key, a.job, a.attempt, a.number, a.start_time, lag(a.job) OVER w AS job_before,
         lag(a.attempt) OVER w AS attempt_before,
         max(a.end_time) OVER (PARTITION BY k.source, k.key
                               ORDER BY a.start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM numbered AS a JOIN (SELECT DISTINCT source, key, job FROM keyed JOIN log USING (source, was)) AS k USING (job)
  WHERE a.chips > 0 WINDOW w AS (PARTITION BY k.source, k.key ORDER BY a.start_time)
),
begun AS ( -- when attempts began anew; and the first one, of each log that spoke before it
  SELECT source, key, start_time, reached, number FROM ran
  WHERE start_time > reached OR (start_time = reached AND (job <> job_before OR attempt IS NOT attempt_before))
  UNION ALL
  SELECT r.source, 'log ' || k.was, r.start_time, NULL, r.number FROM ran AS r JOIN keyed AS k USING (source, key)
  WHERE r.reached IS NULL
    AND coalesce((SELECT s.start_time < r.start_time FROM main.spoken AS s WHERE s.source = r.source AND s.job = k.was), 1)
),
told AS ( -- for each source, as JSON: [key, time, when the attempt before ended, attempt]; and [name, key]
  SELECT source, (SELECT rank = 2 FROM source AS k WHERE k.source = b.source) AS own,
         json_group_array(json_array(key, start_time, reached, number)) AS places,
         (SELECT json_group_array(json_array(k.was, k.key))
          FROM (SELECT source, was, key FROM keyed UNION SELECT source, was, 'log ' || was FROM keyed) AS k
          WHERE k.source = b.source AND (k.source, k.key) IN (SELECT source, key FROM begun)) AS names
  FROM (SELECT source, key, start_time, reached, max(number) AS number -- of attempts that begin at once the last one goes on
        FROM begun GROUP BY source, key, start_time) AS b GROUP BY source
)
SELECT coalesce((SELECT group_concat('
CREATE TABLE begun_anew AS SELECT json_extract(value, ''$[0]'') AS key, json_extract(value, ''$[1]'') AS at, json_extract(value, ''$[2]'') AS reached, json_extract(value, ''$[3]'') AS attempt FROM json_each(' || quote(places) || ');
CREATE UNIQUE INDEX begun_anew_of ON begun_anew(key, at);
CREATE TABLE begun_name(was, key, PRIMARY KEY (was, key)) WITHOUT ROWID;
INSERT INTO begun_name SELECT json_extract(value, ''$[0]''), json_extract(value, ''$[1]'') FROM json_each(' || quote(names) || ');' || iif(own, '', '
CREATE TABLE across AS
SELECT s.rowid AS row, s.job AS was, ' || iif(EXISTS (SELECT 1 FROM pragma_table_info('spans_of_' || source, 'temp') WHERE name = 'step'), 's.step', 'NULL') || ' AS step, max(b.at) AS at, s.end_time - s.start_time AS lasted, max(b.at) - s.start_time AS before, min(coalesce(s.start_time >= b.reached, 1)) AS is_outside
FROM temp.spans_of_' || source || ' AS s CROSS JOIN begun_name AS n ON n.was = s.job CROSS JOIN begun_anew AS b ON b.key = n.key AND b.at > s.start_time AND b.at < s.end_time AND iif(s.start_time < b.reached, b.at < s.end_time - 1, 1)
WHERE s.kind = ''step'' AND s.start_time > 1e8 GROUP BY s.rowid;
CREATE TABLE usual_step AS
SELECT was, seconds FROM (
  SELECT job AS was, end_time - start_time AS seconds, row_number() OVER (PARTITION BY job ORDER BY end_time - start_time) AS nth, count(*) OVER (PARTITION BY job) AS n
  FROM temp.spans_of_' || source || ' WHERE kind = ''step'' AND end_time > start_time AND job IN (SELECT was FROM across))
WHERE nth = (n + 1) / 2;
DELETE FROM across WHERE is_outside AND (before <= 60 OR lasted <= 2 * (SELECT seconds FROM usual_step AS u WHERE u.was = across.was));
UPDATE temp.spans_of_' || source || ' SET start_time = max(x.at, end_time - x.seconds) FROM (SELECT row, at, seconds FROM main.across JOIN main.usual_step USING (was)) AS x WHERE x.row = spans_of_' || source || '.rowid;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT path FROM file AS f WHERE f.path = was), (SELECT min(path) FROM file AS f WHERE f.source = ' || source || ')), ''warning'', ''missing_steps'', NULL, count(*),
       ''steps told since a value before their attempt, first '' || coalesce(min(step), ''?'') || '': they count with the time of most, and what lies before them is unknown''
FROM across GROUP BY was;
DROP TABLE across;
DROP TABLE usual_step;') || '
INSERT OR IGNORE INTO before_attempt
SELECT ' || source || ', s.rowid, b.attempt
FROM temp.spans_of_' || source || ' AS s CROSS JOIN begun_name AS n ON n.was = s.job CROSS JOIN begun_anew AS b ON b.key = n.key AND b.at > s.start_time AND b.at < coalesce(s.end_time + iif(s.kind = ''restore'', 60, 0), s.start_time + 60) AND b.attempt IS NOT NULL AND coalesce(s.start_time >= b.reached, 1)
WHERE s.start_time > 1e8' || iif(own, ' AND s.attempt IS NULL', '') || ' ORDER BY b.at;
DROP TABLE begun_name;
DROP TABLE begun_anew;', '') FROM told), '');
