-- megatron/ranks.sql - logs of the first rank and of the last one, where each has a file: what the first says is put between the last one's
-- lines.
--
-- Reads and changes training_lines, whose rowids are in the order of the lines, a file's without another's between them.
-- A part of megatron.sql, which says what the parameters are and runs the parts in order.

-- The first rank tells how many there are, what was loaded and saved, and nothing of iterations; the last one the iterations, and nothing
-- of those. Two such files are of one run if their names differ in one number alone, and no other's does. (A PyTorchJob has a master and
-- workers.)
DROP TABLE IF EXISTS temp.training_halves;
CREATE TEMP TABLE training_halves AS
SELECT file, count(step) > 0 AS steps, min(rowid) AS first, max(rowid) AS last, min(step) AS lowest, max(step) AS highest,
       min(told_saved) AS first_saved, max(told_saved) AS last_saved
FROM training_lines WHERE (SELECT file FROM training_lines ORDER BY rowid LIMIT 1)
  <> (SELECT file FROM training_lines ORDER BY rowid DESC LIMIT 1)
GROUP BY file HAVING (count(step) > 0) <> (count(coalesce(told_world, told_loaded, told_saved)) > 0);
--@ if EXISTS (SELECT 1 FROM training_halves)
DROP TABLE IF EXISTS temp.training_pairs;
CREATE TEMP TABLE training_pairs AS
WITH RECURSIVE letter(file, steps, name, at) AS (
  SELECT file, steps, replace(file, '-master-', '-worker-'), 1
  FROM training_halves WHERE (SELECT min(steps) < max(steps) FROM training_halves)
  UNION ALL
  SELECT file, steps, name, at + 1 FROM letter WHERE at < length(name)
),
numberless AS MATERIALIZED (
  SELECT file, steps, substr(name, 1, at - 1) || '#' || ltrim(substr(name, at), '0123456789') AS name
  FROM letter WHERE substr(name, at, 1) GLOB '[0-9]' AND substr(' ' || name, at, 1) NOT GLOB '[0-9]'
),
pair AS (SELECT DISTINCT f.file AS file, g.file AS of_file
         FROM numberless AS f JOIN numberless AS g ON g.name = f.name AND g.steps AND NOT f.steps),
single AS (SELECT *, count(*) OVER (PARTITION BY file) + count(*) OVER (PARTITION BY of_file) AS n FROM pair)
SELECT s.file AS file, of_file, f.first AS first, f.last AS last, g.first AS of_first, g.last AS of_last
FROM single AS s JOIN training_halves AS f ON f.file = s.file JOIN training_halves AS g ON g.file = of_file
WHERE n = 2 AND coalesce(f.last_saved <= g.highest AND f.first_saved >= g.lowest - 1, 1);

-- Where iterations go on from what was loaded, as after a save at the end, without that they go back: loads that no going back answers to.
DROP TABLE IF EXISTS temp.training_went_on;
CREATE TEMP TABLE training_went_on(id INTEGER PRIMARY KEY);
INSERT OR IGNORE INTO training_went_on
WITH beside AS MATERIALIZED (
  SELECT p.of_file AS pair, l.rowid AS id, l.step, lag(l.step) OVER (PARTITION BY p.of_file ORDER BY l.rowid) AS before
  FROM training_pairs AS p CROSS JOIN training_lines AS l ON l.rowid BETWEEN p.of_first AND p.of_last WHERE l.step IS NOT NULL
),
loads AS MATERIALIZED (SELECT DISTINCT p.of_file AS pair, l.told_loaded AS loaded
                       FROM training_pairs AS p CROSS JOIN training_lines AS l ON l.rowid BETWEEN p.first AND p.last
                       WHERE l.told_loaded IS NOT NULL),
answered AS (SELECT b.pair, (SELECT max(o.loaded) FROM loads AS o WHERE o.pair = b.pair AND o.loaded < b.step) AS loaded
             FROM beside AS b WHERE b.step <= b.before)
SELECT max(b.id) FROM loads AS o JOIN beside AS b ON b.pair = o.pair AND b.before <= o.loaded AND b.step > o.loaded
WHERE NOT EXISTS (SELECT 1 FROM answered AS a WHERE a.pair = o.pair AND a.loaded = o.loaded) GROUP BY o.pair, o.loaded;

-- Runs of each: a program that says how it is set up, or iterations that go back, or on from what was loaded.
DROP TABLE IF EXISTS temp.training_part_runs;
CREATE TEMP TABLE training_part_runs AS
WITH begins AS (
  SELECT p.of_file AS pair, 0 AS steps, l.rowid AS id, coalesce(told_world, told_loaded) IS NOT NULL
           AND coalesce(lag(coalesce(told_world, told_loaded)) OVER w IS NULL, 1) AS begins
  FROM training_pairs AS p CROSS JOIN training_lines AS l ON l.rowid BETWEEN p.first AND p.last
  WINDOW w AS (PARTITION BY p.of_file ORDER BY l.rowid)
  UNION ALL
  SELECT p.of_file, 1, l.rowid, coalesce(l.step <= lag(l.step) OVER w OR l.rowid IN (SELECT id FROM training_went_on), 1)
  FROM training_pairs AS p CROSS JOIN training_lines AS l ON l.rowid BETWEEN p.of_first AND p.of_last
  WHERE l.step IS NOT NULL WINDOW w AS (PARTITION BY p.of_file ORDER BY l.rowid)
)
SELECT pair, steps, id, max(1, sum(begins) OVER (PARTITION BY pair, steps ORDER BY id)) AS run FROM begins;
DELETE FROM training_pairs WHERE of_file IN (
  SELECT pair FROM (SELECT pair, steps, max(run) AS runs FROM training_part_runs GROUP BY 1, 2) GROUP BY pair HAVING min(runs) < max(runs));

-- A set-up and a load stand before the steps of their run, a save after that of its number, and the nth rate of Megatron Bridge before the
-- nth step.
DROP TABLE IF EXISTS temp.training_moved;
CREATE TEMP TABLE training_moved(id INTEGER PRIMARY KEY, file, before, after);
INSERT INTO training_moved
WITH ranked AS (
  SELECT r.pair, r.run, r.id, l.told_saved, l.told_ahead,
         iif(l.told_ahead IS NULL, NULL, row_number() OVER (PARTITION BY r.pair, r.run, l.told_ahead IS NULL ORDER BY r.id)) AS nth
  FROM training_pairs AS p JOIN training_part_runs AS r ON r.pair = p.of_file AND NOT r.steps
  CROSS JOIN training_lines AS l ON l.rowid = r.id
),
stepped AS MATERIALIZED (
  SELECT r.pair, r.run, r.id, l.step, row_number() OVER (PARTITION BY r.pair, r.run ORDER BY r.id) AS nth
  FROM training_part_runs AS r CROSS JOIN training_lines AS l ON l.rowid = r.id WHERE r.steps
),
bounds AS (SELECT pair, run, min(id) AS first, max(id) AS last FROM stepped GROUP BY pair, run),
following AS MATERIALIZED ( -- of a save: the next step
  SELECT id, is_save, min(iif(is_save, NULL, id)) OVER (PARTITION BY pair, run
      ORDER BY step ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next
  FROM (SELECT pair, run, id, step, 0 AS is_save FROM stepped
        UNION ALL SELECT pair, run, id, told_saved + 0.5, 1 FROM ranked WHERE told_saved IS NOT NULL)
)
SELECT r.id, r.pair, CASE WHEN r.nth IS NOT NULL THEN n.id WHEN r.told_saved IS NULL THEN b.first ELSE f.next END, b.last
FROM ranked AS r JOIN bounds AS b ON b.pair = r.pair AND b.run = r.run
LEFT JOIN stepped AS n ON n.pair = r.pair AND n.run = r.run AND n.nth = r.nth LEFT JOIN following AS f ON f.id = r.id AND f.is_save;
DELETE FROM training_moved WHERE before IS NULL AND id IN (SELECT l.rowid FROM training_lines AS l WHERE l.told_ahead IS NOT NULL);

-- What no file of iterations was found for counts nowhere.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'no_steps', NULL, 1,
       'a log without a line of an iteration, as of a first rank whose last one has a file of its own: how many ranks there are, what was loaded and saved is not known. Put both into one file'
FROM training_halves WHERE NOT steps AND file NOT IN (SELECT file FROM training_pairs)
  AND EXISTS (SELECT 1 FROM training_halves WHERE steps AND file NOT IN (SELECT of_file FROM training_pairs));

UPDATE training_lines SET file = m.file, line = m.line
FROM (SELECT m.id AS id, m.file AS file, l.line + iif(m.before IS NULL, 0.5, -0.5) AS line
      FROM training_moved AS m JOIN training_lines AS l ON l.rowid = coalesce(m.before, m.after)) AS m
WHERE m.id = training_lines.rowid;
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
SELECT l.*
FROM (SELECT 1 FROM training_moved LIMIT 1) CROSS JOIN training_lines AS l LEFT JOIN training_moved AS m ON m.id = l.rowid
WHERE l.file NOT IN (SELECT file FROM training_pairs)
ORDER BY coalesce(m.before, m.after, l.rowid), CASE WHEN m.id IS NULL THEN 1 WHEN m.before IS NULL THEN 2 ELSE 0 END, l.rowid;
DELETE FROM training_lines WHERE rowid >= (SELECT 0 FROM training_stay LIMIT 1);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;
DROP TABLE training_moved;
DROP TABLE training_part_runs;
DROP TABLE training_went_on;
DROP TABLE training_pairs;
--@ end
DROP TABLE training_halves;

-- A file in which nothing is recognised is no run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(file, :log), 'warning', 'no_steps', NULL, 1, 'no line "iteration N/ N |" of Megatron was found'
FROM (SELECT max(file) AS file, count(step) AS steps FROM temp.training_lines) WHERE steps = 0;
