-- goodput/ranges.sql - which rows of the log are of which attempt.
--
-- Reads goodput_rows, goodput_marks and goodput_survey. Makes goodput_ranges(job, attempt, first, last), of rowids. A part of goodput.sql,
-- which says what the parameters are.

-- What stands before the first start belongs to it, unless a step there began earlier: a log that is exported by days has the start of its
-- first run in the day before.
DROP TABLE IF EXISTS temp.goodput_ranges;
CREATE TEMP TABLE goodput_ranges AS
WITH begins AS (
  SELECT min(rowid) AS first FROM goodput_rows
  UNION ALL
  SELECT l.rowid FROM goodput_rows AS l CROSS JOIN goodput_rows AS p ON p.rowid = l.rowid - 1
  WHERE (SELECT several FROM goodput_survey) AND p.job_name IS NOT l.job_name
),
ends AS (
  SELECT CAST(coalesce(:job, l.job_name) AS TEXT) AS job, first,
         coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM goodput_rows)) AS last
  FROM begins JOIN goodput_rows AS l ON l.rowid = first
),
starts AS (SELECT job, id, time FROM goodput_marks WHERE kind = 'job' AND edge = 'start'),
edges AS (
  SELECT job, row_number() OVER (PARTITION BY job ORDER BY place) AS attempt, place
  FROM (SELECT job, id AS place FROM starts
        UNION ALL
        SELECT s.job, n.first FROM (SELECT job, min(id) AS id, time FROM starts GROUP BY job) AS s JOIN ends AS n ON n.job = s.job
        WHERE n.first < s.id
          AND EXISTS (SELECT 1 FROM goodput_rows AS o WHERE o.rowid BETWEEN n.first AND s.id - 1 AND +o.kind = 'step' AND o.time < s.time))
)
SELECT n.job, coalesce(e.attempt, 1) AS attempt, iif(coalesce(e.attempt, 1) = 1, n.first, e.place) AS first,
       coalesce(lead(e.place) OVER (PARTITION BY n.job ORDER BY e.attempt) - 1, n.last) AS last
FROM ends AS n LEFT JOIN edges AS e ON e.job IS n.job
ORDER BY n.first, e.attempt;
