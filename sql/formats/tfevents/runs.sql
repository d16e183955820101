-- tfevents/runs.sql - the tag of each job, and the files whose values count.
--
-- Reads tfevents_breaks, tfevents_parts and tfevents_files. Makes tfevents_chosen, tfevents_runs, in their order, and tfevents_parallel;
-- puts tfevents_told into that order, if it is not, and says so in tfevents_rebuilt.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

-- What has values.
DROP TABLE IF EXISTS temp.tfevents_ranges;
CREATE TEMP TABLE tfevents_ranges AS
WITH begun AS (SELECT b.id AS first, t.part FROM tfevents_breaks AS b CROSS JOIN tfevents_told AS t ON t.rowid = b.id WHERE begins),
ranged AS (
  SELECT part, min(first) AS first, max(last) AS last
  FROM (SELECT part, first, coalesce(lead(first) OVER (ORDER BY first) - 1, (SELECT max(rowid) FROM tfevents_told)) AS last FROM begun)
  GROUP BY part
)
SELECT part, first, last, (SELECT count(*) FROM tfevents_told AS t WHERE t.rowid BETWEEN first AND last AND t.part = r.part) AS n
FROM ranged AS r;

-- The tag of a job is the one with the most values; of several with as many, the first of the list.
DROP TABLE IF EXISTS temp.tfevents_chosen;
CREATE TEMP TABLE tfevents_chosen(job TEXT PRIMARY KEY, place, tag TEXT, rate TEXT, seconds TEXT, framework TEXT);
INSERT INTO tfevents_chosen
SELECT job, place, tag, rate, seconds, framework
FROM (SELECT f.job, t.*, row_number() OVER (PARTITION BY f.job ORDER BY sum(r.n) DESC, t.place) AS nth
      FROM tfevents_ranges AS r JOIN tfevents_files AS f ON f.of_file = r.part / 32 JOIN tfevents_tags AS t ON t.place = r.part % 32
      GROUP BY f.job, t.place)
WHERE nth = 1;

-- A job without the tag is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(file), 'warning', 'no_steps', NULL, 1,
       coalesce('no value of the tag "' || :tag || '" was found', 'no known tag of steps was found: name it by the option tag')
FROM tfevents_files WHERE job NOT IN (SELECT job FROM tfevents_chosen) GROUP BY job;

-- Hosts that write at the same time say the same steps: the file with the most values counts.
DROP TABLE IF EXISTS temp.tfevents_runs;
CREATE TEMP TABLE tfevents_runs AS
SELECT f.job, f.file, f.begin_time, f.last_time, r.n, r.part, r.first, r.last, NULL AS first_step_time, NULL AS last_step_time,
       NULL AS first_step, NULL AS last_step
FROM tfevents_files AS f JOIN tfevents_chosen AS c USING (job) JOIN tfevents_ranges AS r ON r.part = 32 * f.of_file + c.place
ORDER BY f.job, f.begin_time, f.file;
UPDATE tfevents_runs SET (first_step_time, last_step_time, first_step, last_step) = (
  SELECT min(t.time), max(t.time), min(t.step), max(t.step)
  FROM tfevents_told AS t WHERE t.rowid BETWEEN tfevents_runs.first AND tfevents_runs.last AND t.part = tfevents_runs.part)
WHERE (SELECT count(*) > 1 FROM tfevents_runs); -- one file is compared with none
DROP TABLE IF EXISTS temp.tfevents_parallel;
CREATE TEMP TABLE tfevents_parallel AS
SELECT a.file, min(b.file) AS other, a.n FROM tfevents_runs AS a JOIN tfevents_runs AS b
  ON b.job = a.job AND b.file <> a.file AND b.first_step_time <= a.last_step_time AND a.first_step_time <= b.last_step_time
     AND (b.n > a.n OR (b.n = a.n AND b.file < a.file))
GROUP BY a.file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_files', NULL, n,
       'values of the same time as those of ' || other || ', which has as many or more: left out as those of another host'
FROM tfevents_parallel;
DELETE FROM tfevents_runs WHERE file IN (SELECT file FROM tfevents_parallel);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT b.file, 'warning', 'parallel_logs', NULL, b.n,
       'values of the same steps, and as far apart, as those of ' || min(a.file)
         || ': they count as a restart; if the files are of two hosts with other clocks, read one'
FROM tfevents_runs AS a JOIN tfevents_runs AS b ON b.job = a.job AND b.n = a.n AND b.first_step_time > a.last_step_time
  AND abs((b.last_step_time - b.first_step_time) - (a.last_step_time - a.first_step_time)) < 0.5
WHERE a.n > 2 AND NOT EXISTS (SELECT v.step FROM tfevents_told AS v WHERE v.rowid BETWEEN b.first AND b.last AND v.part = b.part
                              EXCEPT SELECT v.step FROM tfevents_told AS v WHERE v.rowid BETWEEN a.first AND a.last AND v.part = a.part)
GROUP BY b.file;

-- A run whose folder lies beside another's, that begins after the other's last value and whose first step follows one of its steps, but
-- not its first, goes on with it, perhaps. (A run from the start begins with the same step: the first that is logged.)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH first_value AS (
  SELECT r.job, rtrim(r.job, replace(r.job, '/', '')) AS beside, c.tag, min(r.first_step_time) AS first_time,
         max(r.last_step_time) AS last_time,
         min(r.first_step) AS first_step, max(r.last_step) AS last_step
  FROM tfevents_runs AS r JOIN tfevents_chosen AS c USING (job)
  WHERE :job IS NULL AND (SELECT count(*) FROM tfevents_files) > 1 GROUP BY r.job
)
SELECT job, 'warning', 'continued_run', NULL, 1,
       'begins with step ' || first_step || ', as if it went on with ' || earlier || ': if so, give both one name by the option job'
FROM (SELECT b.job, b.first_step, a.job AS earlier, row_number() OVER (PARTITION BY b.job ORDER BY a.last_time DESC) AS nth
      FROM first_value AS a JOIN first_value AS b ON b.beside = a.beside AND b.tag = a.tag AND b.first_time > a.last_time
       AND b.first_step > a.first_step AND b.first_step <= a.last_step + (a.last_step - a.first_step))
WHERE nth = 1;

-- The values of runs, in their order. They are so already if the reader gave no others and none was left out.
DROP TABLE IF EXISTS temp.tfevents_rebuilt;
CREATE TEMP TABLE tfevents_rebuilt AS
SELECT 1 AS rebuilt
WHERE (SELECT coalesce(max(rowid), 0) > count(*) FROM tfevents_told)
  OR (SELECT count(*) FROM tfevents_ranges) > (SELECT count(*) FROM tfevents_runs)
   OR EXISTS (SELECT 1 FROM (SELECT first < lag(first) OVER (ORDER BY job, begin_time, file) AS back FROM tfevents_runs) WHERE back);
DROP TABLE tfevents_ranges;
CREATE TEMP TABLE tfevents_stay AS
SELECT t.* FROM tfevents_rebuilt CROSS JOIN tfevents_runs AS r
CROSS JOIN tfevents_told AS t ON t.rowid BETWEEN r.first AND r.last AND t.part = r.part
ORDER BY r.job, r.begin_time, r.file, t.rowid;
DELETE FROM tfevents_told WHERE rowid >= (SELECT 0 FROM tfevents_rebuilt);
DELETE FROM tfevents_breaks WHERE EXISTS (SELECT 1 FROM tfevents_rebuilt);
INSERT INTO tfevents_told SELECT * FROM tfevents_stay ORDER BY rowid;
DROP TABLE tfevents_stay;
