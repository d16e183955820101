-- megatron/counted.sql - how many iterations each line stands for, and what each of them took.
--
-- Reads and changes training_lines, reads training_ranges. Makes training_counted(id, executions, each).
-- A part of megatron.sql, which says what the parameters are and runs the parts in order.

-- Newer versions print the first iteration of a run, and count it in the mean of the next line again: which that is, its clock tells.
DROP TABLE IF EXISTS temp.training_again;
CREATE TEMP TABLE training_again AS
SELECT id, each, (each * (step - previous + 1) - first_each) / (step - previous) AS own
FROM (SELECT b.rowid AS id, b.step AS step, a.step AS previous, b.time - a.time AS elapsed, coalesce(b.told_s, b.told_ms / 1000.0) AS each,
             coalesce(a.told_s, a.told_ms / 1000.0) AS first_each
      FROM training_ranges AS r
      CROSS JOIN training_lines AS a
        ON a.rowid = (SELECT l.rowid FROM training_lines AS l
                      WHERE l.rowid BETWEEN r.first AND r.last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1)
      CROSS JOIN training_lines AS b
        ON b.rowid = (SELECT l.rowid FROM training_lines AS l
                      WHERE l.rowid > a.rowid AND l.rowid <= r.last AND l.step IS NOT NULL ORDER BY l.rowid LIMIT 1)
      WHERE r.timed AND a.step = coalesce(iif(r.loaded < a.step, r.loaded, NULL), 0) + 1 AND b.step > a.step + 1)
WHERE first_each > each AND abs(each * (step - previous + 1) - first_each - elapsed) <= 1 + 0.2 * elapsed
  AND each * (step - previous + 1) > first_each;
UPDATE training_lines SET told_tflops = told_tflops * a.each / a.own, told_ms = a.own * 1000.0, told_s = NULL
FROM training_again AS a WHERE a.id = training_lines.rowid;
DROP TABLE training_again;

-- --iterations-to-skip leaves iterations out that print no line: the first line of a run that continued at a checkpoint stands
-- for no more iterations than lines of that run do, and a later one for no more than its clock has room for.
DROP TABLE IF EXISTS temp.training_told_steps;
CREATE TEMP TABLE training_told_steps AS -- in order, so that neighbours are those by rowid
SELECT l.rowid AS id, r.rowid AS range, step, iif(timed, time, NULL) AS time, coalesce(told_s, told_ms / 1000.0) AS each
FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last WHERE step IS NOT NULL;
DROP TABLE IF EXISTS temp.training_counted;
CREATE TEMP TABLE training_counted(id INTEGER PRIMARY KEY, executions, each);
INSERT INTO training_counted
SELECT id, CASE WHEN (step - previous) * each > 1.5 * elapsed + 2 THEN max(1, CAST(round(elapsed / each) AS INTEGER))
                WHEN previous IS NULL AND loaded IS NOT NULL AND step - loaded > following - step THEN following - step
                ELSE step - coalesce(previous, loaded, max(0, 2 * step - following), step - 1) END, each
FROM (SELECT l.id, l.step, l.time - p.time AS elapsed, l.each, p.step AS previous, n.step AS following,
             iif(r.loaded < l.step, r.loaded, NULL) AS loaded
      FROM training_told_steps AS l CROSS JOIN training_ranges AS r ON r.rowid = l.range
      LEFT JOIN training_told_steps AS p ON p.rowid = l.rowid - 1 AND p.range = l.range
      LEFT JOIN training_told_steps AS n ON n.rowid = l.rowid + 1 AND n.range = l.range);
DROP TABLE training_told_steps;
