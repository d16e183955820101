-- nanogpt/counted.sql - what each step took, and all up to it.
--
-- Reads training_lines, training_breaks, training_ranges and training_marks. Makes training_counted, a row a line of a step, and
-- training_evaluated(id, usual, aside): lines whose time holds an evaluation, in seconds.
-- A part of nanogpt.sql, which says what the parameters are and runs the parts in order.

-- Stretches of lines of steps with nothing between them: the line before is that before in the stretch, or of its first line `before`.
DROP TABLE IF EXISTS temp.training_stretches;
CREATE TEMP TABLE training_stretches AS
WITH begins AS (
  SELECT rowid AS range, first FROM training_ranges
  UNION ALL
  SELECT r.rowid, m.id + 1 FROM training_ranges AS r CROSS JOIN training_marks AS m ON m.id BETWEEN r.first AND r.last
),
bounds AS (
  SELECT b.range, b.first, coalesce(lead(b.first) OVER (PARTITION BY b.range ORDER BY b.first) - 2, r.last) AS last, r.first AS range_first,
         r.file_first
  FROM begins AS b JOIN training_ranges AS r ON r.rowid = b.range
)
SELECT range, first, last, range_first, file_first, coalesce(m.before, first - 1) AS before
FROM bounds LEFT JOIN training_marks AS m ON m.id = first - 1
WHERE first <= last ORDER BY range, first;

-- nanoGPT times an iteration with the evaluation and the save before it: "iter 1000: ... time 30500ms" after "step 1000: train loss ...".
-- An iteration takes what the nearest line without an evaluation says. The first line of a run has its compilation too.
DROP TABLE IF EXISTS temp.training_evaluated;
CREATE TEMP TABLE training_evaluated(id INTEGER PRIMARY KEY, run_first INTEGER, run_last INTEGER, ms, usual, aside);
INSERT INTO training_evaluated(id, run_first, run_last, ms)
SELECT l.rowid, r.first, r.last, l.ms / 1000.0
FROM training_stretches AS s JOIN training_ranges AS r ON r.rowid = s.range CROSS JOIN training_lines AS l ON l.rowid = s.first
WHERE l.total_ms IS NULL AND s.before >= s.range_first
  AND EXISTS (SELECT 1 FROM training_lines AS m WHERE m.rowid > s.before AND m.rowid < s.first AND m.evaluated = l.step);
UPDATE training_evaluated SET usual = coalesce(
  (SELECT l.ms FROM training_lines AS l
   WHERE l.rowid < training_evaluated.id AND l.rowid >= training_evaluated.run_first AND l.ms IS NOT NULL
     AND l.rowid NOT IN (SELECT e.id FROM training_evaluated AS e) AND EXISTS (
       SELECT 1 FROM training_lines AS p WHERE p.rowid < l.rowid AND p.rowid >= training_evaluated.run_first AND p.step IS NOT NULL)
   ORDER BY l.rowid DESC LIMIT 1),
  (SELECT l.ms FROM training_lines AS l
   WHERE l.rowid > training_evaluated.id AND l.rowid <= training_evaluated.run_last AND l.ms IS NOT NULL
     AND l.rowid NOT IN (SELECT e.id FROM training_evaluated AS e) ORDER BY l.rowid LIMIT 1)) / 1000.0;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'long_steps', min(line), count(*),
       'lines of iterations whose time holds an evaluation, and no other line says what an iteration takes: each counts as that long'
FROM training_evaluated AS e JOIN training_lines AS l ON l.rowid = e.id WHERE usual IS NULL GROUP BY file;
DELETE FROM training_evaluated WHERE usual IS NULL;
UPDATE training_evaluated SET aside = max(0, ms - usual), usual = min(ms, usual);

-- The rowid is the number of the step; so_far, the seconds of all steps up to it: by the program's own clock, if all lines have it, from
-- where that began anew; else added up.
DROP TABLE IF EXISTS temp.training_counted;
CREATE TEMP TABLE training_counted(range, id, step, since, seconds, so_far, trained);
DROP TABLE IF EXISTS temp.training_runs_of_clock;
CREATE TEMP TABLE training_runs_of_clock AS
WITH clocked AS MATERIALIZED (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM training_lines WHERE step IS NOT NULL AND total_ms IS NULL)),
begins AS (
  SELECT s.rowid AS stretch, s.first FROM clocked CROSS JOIN training_stretches AS s
  UNION
  SELECT s.rowid, b.id FROM clocked CROSS JOIN training_stretches AS s CROSS JOIN training_breaks AS b ON b.id BETWEEN s.first AND s.last
),
bounds AS (
  SELECT b.stretch, b.first, coalesce(lead(b.first) OVER (PARTITION BY b.stretch ORDER BY b.first) - 1, s.last) AS last, s.range,
         s.range_first, s.file_first,
         iif(b.first > s.first, b.first - 1, s.before) AS before
  FROM begins AS b JOIN training_stretches AS s ON s.rowid = b.stretch
),
told AS (
  SELECT b.*, f.total_ms AS first_ms, l.total_ms AS last_ms, iif(f.total_ms < p.total_ms, 0, coalesce(p.total_ms, 0)) AS before_ms
  FROM bounds AS b JOIN training_lines AS f ON f.rowid = b.first JOIN training_lines AS l ON l.rowid = b.last
  LEFT JOIN training_lines AS p ON p.rowid = b.before AND p.rowid >= b.file_first
)
SELECT range, range_first, first, last, before, file_first,
       before_ms / 1000.0 - coalesce(sum((last_ms - before_ms) / 1000.0) OVER (
           ORDER BY stretch, first ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS apart
FROM told ORDER BY stretch, first;
INSERT INTO training_counted
SELECT range, l.rowid, l.step, iif(p.rowid >= range_first, l.step - p.step, NULL),
       iif(l.total_ms < p.total_ms, l.total_ms, l.total_ms - coalesce(p.total_ms, 0)) / 1000.0, l.total_ms / 1000.0 - apart,
       l.loss IS NOT NULL OR l.step > 0 AND NOT l.validates
FROM training_runs_of_clock AS s CROSS JOIN training_lines AS l ON l.rowid BETWEEN s.first AND s.last
LEFT JOIN training_lines AS p ON p.rowid = iif(l.rowid > s.first, l.rowid - 1, s.before) AND p.rowid >= s.file_first;
INSERT INTO training_counted
SELECT range, id, step, since, seconds, coalesce(sum(seconds) OVER (ORDER BY stretch, id ROWS UNBOUNDED PRECEDING), 0), trained
FROM (SELECT s.rowid AS stretch, range, l.rowid AS id, l.step, iif(p.rowid >= range_first, l.step - p.step, NULL) AS since,
             CASE WHEN l.total_ms IS NULL THEN coalesce(iif(p.rowid >= range_first, l.step - p.step, NULL), 1)
                                                 * coalesce(e.usual * 1000.0, l.ms) + coalesce(e.aside * 1000.0, 0)
                  WHEN l.total_ms < p.total_ms THEN l.total_ms ELSE l.total_ms - coalesce(p.total_ms, 0) END / 1000.0 AS seconds,
             l.loss IS NOT NULL OR l.step > 0 AND NOT l.validates AS trained
      FROM training_stretches AS s CROSS JOIN training_lines AS l ON l.rowid BETWEEN s.first AND s.last
      LEFT JOIN training_lines AS p ON p.rowid = iif(l.rowid > s.first, l.rowid - 1, s.before) AND p.rowid >= s.file_first
      LEFT JOIN training_evaluated AS e ON e.id = l.rowid
      WHERE NOT EXISTS (SELECT 1 FROM training_runs_of_clock));
DROP TABLE training_runs_of_clock;
DROP TABLE training_stretches;
