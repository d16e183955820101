-- trainer/same_run.sql - exports of one run of a tracker, as of Monday and of Tuesday, are one: records that several have count once.
--
-- Two are of one run if they have two records with the same step, time and loss; or one, and the same name of the run; or if that name is
-- an id as MLflow, Comet and Weights & Biases give them, and neither has records in the time of the other. Reads trainer_over,
-- trainer_extents; changes trainer_points: `part` is the export that the others belong to, the earliest, and `at` the time that is then
-- their order.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

--@ if EXISTS (SELECT 1 FROM trainer_extents WHERE file <> (SELECT file FROM trainer_extents LIMIT 1))
DROP TABLE IF EXISTS temp.trainer_exports;
CREATE TEMP TABLE trainer_exports AS
SELECT *, row_number() OVER (ORDER BY first, file, run) AS place,
       coalesce(max(last) OVER (ORDER BY first, file, run ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) >= first, 0)
         OR coalesce(lead(first) OVER (ORDER BY first, file, run) <= last, 0) AS overlaps
FROM (SELECT job, file, run, min(time) AS first, max(time) AS last FROM trainer_points
      WHERE rank IS NULL AND seconds IS NULL AND time > 1e8 AND file NOT IN (SELECT file FROM trainer_marks)
        AND EXISTS (SELECT 1 FROM trainer_points WHERE file <> (SELECT file FROM trainer_points LIMIT 1))
      GROUP BY job, file, run);
CREATE INDEX temp.trainer_exports_of ON trainer_exports(file, run);
DROP TABLE IF EXISTS temp.trainer_compared;
CREATE TEMP TABLE trainer_compared AS -- each record, and the export that has it first
SELECT p.rowid AS id, e.place, p.file, min(e.place) OVER (PARTITION BY p.step, p.time, p.loss) AS first
FROM trainer_exports AS e CROSS JOIN trainer_points AS p ON p.file = e.file AND p.run IS e.run AND p.job = e.job
WHERE overlaps;
DROP TABLE IF EXISTS temp.trainer_both;
CREATE TEMP TABLE trainer_both AS
SELECT a.place, b.place AS other
FROM (SELECT place, first, count(*) AS n FROM trainer_compared WHERE first < place GROUP BY 1, 2) AS m
JOIN trainer_exports AS a ON a.place = m.place JOIN trainer_exports AS b ON b.place = m.first
WHERE a.file <> b.file AND (n > 1 OR a.run = b.run)
UNION
SELECT a.place, b.place FROM trainer_exports AS a JOIN trainer_exports AS b ON b.run = a.run AND b.place < a.place AND b.file <> a.file
WHERE b.last < a.first AND length(a.run) IN (8, 32, 36) AND a.run NOT GLOB '*[^-0-9a-z]*' AND a.run GLOB '*[0-9]*' AND a.run GLOB '*[a-z]*';
DROP TABLE IF EXISTS temp.trainer_joined;
CREATE TEMP TABLE trainer_joined AS -- each with the earliest that it is of one run with, over others perhaps
WITH RECURSIVE reached(place, first) AS (
  SELECT place, other FROM trainer_both UNION SELECT r.place, b.other FROM reached AS r JOIN trainer_both AS b ON b.place = r.first
)
SELECT e.place, e.file, e.run, e.job, f.job AS of_job, f.file AS of_file
FROM (SELECT place, min(first) AS first FROM reached GROUP BY place UNION SELECT other, other FROM trainer_both
      WHERE other NOT IN (SELECT place FROM trainer_both)) AS r
JOIN trainer_exports AS e ON e.place = r.place JOIN trainer_exports AS f ON f.place = r.first;
DROP TABLE IF EXISTS temp.trainer_copies;
CREATE TEMP TABLE trainer_copies AS
SELECT p.id, p.file FROM trainer_compared AS p
JOIN trainer_joined AS j ON j.place = p.place JOIN trainer_joined AS k ON k.place = p.first AND k.of_job = j.of_job
WHERE p.first < p.place;
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT file, 'info', 'joined_log', coalesce(max(n), 0),
       'records of the run of ' || min(of_file) || ', this many of which another export of it has too: they count once, in one job'
FROM trainer_joined LEFT JOIN (SELECT file, count(*) AS n FROM trainer_copies GROUP BY file) USING (file)
WHERE file <> of_file GROUP BY file;
DELETE FROM trainer_points WHERE rowid IN (SELECT id FROM trainer_copies);
UPDATE trainer_points SET part = j.of_file, job = j.of_job, at = time
FROM trainer_joined AS j WHERE j.file = trainer_points.file AND j.run IS trainer_points.run AND j.job = trainer_points.job;
-- How it ended the latest says.
UPDATE trainer_over SET (ended, outcome) = (
  SELECT o.ended, o.outcome FROM trainer_joined AS j JOIN trainer_joined AS k ON k.of_job = j.of_job
  JOIN trainer_over AS o ON o.file = k.file AND o.run = coalesce(k.run, '')
  WHERE j.file = trainer_over.file AND coalesce(j.run, '') = trainer_over.run ORDER BY o.ended IS NULL, k.place DESC LIMIT 1)
WHERE (file, run) IN (SELECT file, coalesce(run, '') FROM trainer_joined);
DROP TABLE trainer_exports;
DROP TABLE trainer_compared;
DROP TABLE trainer_both;
DROP TABLE trainer_joined;
DROP TABLE trainer_copies;
--@ end
