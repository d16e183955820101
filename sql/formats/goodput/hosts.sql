-- goodput/hosts.sql - entries of several hosts of a job, which each write what the others do, a little sooner or later.
--
-- Reads and changes goodput_rows and goodput_marks.
-- A part of goodput.sql, which says what the parameters are and runs the parts in order.

-- A step that comes again within half of what steps take was not run again, unless the job started in between, as after a crash. Where
-- that is so of most steps of a job, and it started again before a step had begun, hosts write beside each other: each writes its start.
-- One that is resharded within its first steps runs these again.
-- (The first steps say whether some come again, as logs have millions.)
--@ if EXISTS (SELECT 1 FROM goodput_marks AS m JOIN goodput_rows AS n ON n.rowid = id WHERE m.kind = 'job' AND m.edge = 'start' GROUP BY n.job_name HAVING count(*) > 1) AND (SELECT count(*) > 1.4 * count(DISTINCT step) FROM (SELECT step FROM goodput_rows WHERE +kind = 'step' LIMIT 2000))
DROP TABLE IF EXISTS temp.goodput_copies;
CREATE TEMP TABLE goodput_copies AS
WITH steps AS MATERIALIZED (
  SELECT r.rowid AS id, job_name AS job, time, step, start
  FROM (SELECT rowid, *, sum(kind = 'job') OVER (PARTITION BY job_name ORDER BY time, rowid) AS start FROM goodput_rows
        WHERE (kind = 'step' OR kind = 'job' AND edge = 'start') AND time IS NOT NULL) AS r
  WHERE kind = 'step' AND step IS NOT NULL AND coalesce(duplicate, 0) = 0
),
gaps AS (SELECT job, time - lag(time) OVER w AS gap, step <> lag(step) OVER w AS next
         FROM steps WINDOW w AS (PARTITION BY job ORDER BY time, id)),
usual AS (SELECT job, mpg_median(gap) AS gap FROM gaps WHERE next GROUP BY job),
repeated AS (SELECT s.id, s.job, s.step, s.start, s.time - lag(s.time) OVER w < u.gap / 2 AND s.start = lag(s.start) OVER w AS copy
             FROM steps AS s JOIN usual AS u USING (job) WINDOW w AS (PARTITION BY s.job, s.step ORDER BY s.time, s.id)),
hosts AS (SELECT job FROM repeated GROUP BY job
          HAVING 2 * count(DISTINCT iif(copy, step, NULL)) > count(DISTINCT step) AND max(start) > count(DISTINCT nullif(start, 0)))
SELECT id, job FROM repeated WHERE copy AND job IN (SELECT job FROM hosts);
-- Of all else what stands between two steps: the first of what begins, the last of what ends.
INSERT INTO goodput_copies
WITH jobs AS MATERIALIZED (SELECT DISTINCT job FROM goodput_copies),
kept AS (
  SELECT r.rowid AS id, r.job_name AS job, r.kind, r.edge, r.event, r.time, iif(r.kind = 'step', NULL, r.step) AS step,
         sum(r.kind = 'step') OVER (PARTITION BY r.job_name ORDER BY r.time, r.rowid) AS place
  FROM jobs JOIN goodput_rows AS r ON r.job_name = job WHERE r.time IS NOT NULL AND r.rowid NOT IN (SELECT id FROM goodput_copies)
)
SELECT id, job FROM (SELECT id, job,
                            row_number() OVER (PARTITION BY job, place, kind, edge, event, step
                                               ORDER BY iif(edge = 'end', - time, time), id) AS nth FROM kept WHERE kind <> 'step')
WHERE nth > 1;
-- An end that another stands before, without a start between, came after a step that had begun.
INSERT INTO goodput_copies
SELECT id, job FROM (
  SELECT r.rowid AS id, r.job_name AS job, r.edge = 'end'
           AND lag(r.edge) OVER (PARTITION BY r.job_name, r.kind, r.event ORDER BY r.time, r.rowid) = 'end' AS again
  FROM (SELECT DISTINCT job FROM goodput_copies) JOIN goodput_rows AS r ON r.job_name = job
  WHERE r.edge IS NOT NULL AND r.kind <> 'step' AND r.time IS NOT NULL AND r.rowid NOT IN (SELECT id FROM goodput_copies)
) WHERE again;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:log, 'goodput_rows'), 'info', 'parallel_lines', NULL, count(*),
       'entries of other hosts of ' || min(job) || ', which write the same a little later: the first counts, and of ends the last'
FROM goodput_copies GROUP BY NULL;
DELETE FROM temp.goodput_rows WHERE rowid IN (SELECT id FROM goodput_copies);
DELETE FROM temp.goodput_marks WHERE id IN (SELECT id FROM goodput_copies);
DROP TABLE goodput_copies;
--@ end
