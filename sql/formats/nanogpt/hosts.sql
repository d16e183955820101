-- nanogpt/hosts.sql - steps that a log has twice, as several hosts print into it.
--
-- Reads and changes training_lines and training_breaks.
-- A part of nanogpt.sql, which says what the parameters are and runs the parts in order.

-- Several hosts that print into one log: within a run a line of a step that was told before, a few lines after it, is another
-- host's. A run ends where a program says what it runs on, where numbers go back by more than a few, and where the time of a step
-- is not that of the line before of its number.
DROP TABLE IF EXISTS temp.training_hosts;
CREATE TEMP TABLE training_hosts AS
WITH back AS MATERIALIZED ( -- files in which a step's number is less than the one before
  SELECT DISTINCT l.file
  FROM training_breaks AS b CROSS JOIN training_lines AS l ON l.rowid = b.id CROSS JOIN training_lines AS p ON p.rowid = b.id - 1
  WHERE p.file = l.file AND l.step IS NOT NULL AND l.step
    < coalesce(p.step, (SELECT iif(q.file = l.file, q.step, NULL)
                        FROM training_lines AS q WHERE q.rowid < p.rowid AND q.step IS NOT NULL ORDER BY q.rowid DESC LIMIT 1))
),
numbered AS (
  SELECT l.rowid AS id, file, line, step, validates AS is_evaluation, step IS NULL AS is_marker,
         dense_rank() OVER (PARTITION BY file ORDER BY step) AS place, total_ms, ms
  FROM (SELECT 1 FROM back LIMIT 1) CROSS JOIN training_lines AS l
  WHERE coalesce(step, gpu, time, begun) IS NOT NULL AND file IN (SELECT file FROM back)
),
marked AS (
  SELECT *, is_marker OR coalesce(lag(place) OVER (PARTITION BY file ORDER BY id) - place > 5, 0)
            OR coalesce(abs(total_ms - lag(total_ms) OVER told) > 1000 + 0.1 * lag(total_ms) OVER told, 0)
            OR coalesce(ms > 100 + 2 * lag(ms) OVER told, 0) AS begins
  FROM numbered WINDOW told AS (PARTITION BY file, step, is_evaluation ORDER BY id)
),
parts AS (
  SELECT *, sum(begins) OVER (PARTITION BY file ORDER BY id) AS part FROM marked
)
SELECT id, file, line FROM (SELECT *, row_number() OVER (PARTITION BY file, part, step, is_evaluation ORDER BY id) AS nth
                            FROM parts WHERE NOT is_marker) WHERE nth > 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_lines', min(line), count(*), 'steps that a line above has already: left out, as lines of other hosts'
FROM training_hosts GROUP BY file;

-- Lines that stay are numbered anew, without a gap.
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
SELECT l.* FROM (SELECT 1 FROM training_hosts LIMIT 1) CROSS JOIN training_lines AS l
WHERE l.rowid NOT IN (SELECT id FROM training_hosts) ORDER BY l.rowid;
DELETE FROM temp.training_lines WHERE rowid >= (SELECT 0 FROM training_hosts LIMIT 1);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DELETE FROM temp.training_breaks WHERE EXISTS (SELECT 1 FROM training_hosts);
INSERT INTO training_breaks
SELECT l.rowid AS id, l.file IS NOT p.file AS of_file
FROM (SELECT 1 FROM training_hosts LIMIT 1) CROSS JOIN training_lines AS l LEFT JOIN training_lines AS p ON p.rowid = l.rowid - 1
WHERE l.step < p.step OR l.step IS NULL OR p.step IS NULL OR l.file IS NOT p.file OR l.total_ms < p.total_ms;
DROP TABLE training_stay;
DROP TABLE training_hosts;
