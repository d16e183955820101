-- megatron/clock.sql - lines of iterations without a clock, in a log of which other lines have one.
--
-- Reads and changes training_lines, where lines that tell a clock alone have told_other, and training_begun(file, time): when such a log
-- began. Reads training_tail(file, time). GPT-NeoX and Megatron-DeepSpeed have DeepSpeed's clock above each iteration; older Megatron-LM
-- prints the date before training and after it. Makes training_dates(file, line, time): where a line tells the date alone.
-- A part of megatron.sql, which says what the parameters are and runs the parts in order.

-- A log without an iteration, as of a launch that came to none, is of the last time that stands in it.
UPDATE training_lines SET time = s.time
FROM (SELECT (SELECT l.rowid FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.told_other IS NULL
              ORDER BY l.rowid LIMIT 1) AS id,
             coalesce((SELECT max(l.time) FROM training_lines AS l WHERE l.rowid BETWEEN first AND last),
                      (SELECT max(t.time) FROM training_tail AS t WHERE t.file = e.file)) AS time
      FROM training_extents AS e
      WHERE NOT EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN first AND last
                        AND (l.step IS NOT NULL OR l.time IS NOT NULL AND l.told_other IS NULL))) AS s
WHERE s.id = training_lines.rowid;

DROP TABLE IF EXISTS temp.training_dates;
CREATE TEMP TABLE training_dates(file TEXT, line, time, PRIMARY KEY(file, line)) WITHOUT ROWID;
DROP TABLE IF EXISTS temp.training_others;
CREATE TEMP TABLE training_others AS SELECT 1 FROM training_lines WHERE told_other IS NOT NULL LIMIT 1;
--@ if EXISTS (SELECT 1 FROM training_others)
DROP TABLE IF EXISTS temp.training_clocks;
CREATE TEMP TABLE training_clocks AS
SELECT id, file, step, iif(other > coalesce(step_before, 0), other, NULL) AS other
FROM (SELECT rowid AS id, file, step, max(iif(told_other IS NOT NULL AND time IS NOT NULL, rowid, NULL)) OVER w AS other,
             max(iif(step IS NOT NULL, rowid, NULL)) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS step_before
      FROM training_lines
      WHERE file IN (SELECT file FROM training_lines GROUP BY file
                     HAVING count(step) > 0 AND total(step IS NOT NULL AND time IS NOT NULL) = 0)
      WINDOW w AS (PARTITION BY file ORDER BY rowid))
WHERE step IS NOT NULL;
UPDATE training_lines SET time
  = (SELECT o.time FROM training_clocks AS c JOIN training_lines AS o ON o.rowid = c.other WHERE c.id = training_lines.rowid)
WHERE rowid IN (SELECT id FROM training_clocks
                WHERE file IN (SELECT file FROM training_clocks GROUP BY file HAVING count(other) = count(*)));
INSERT OR REPLACE INTO training_begun
SELECT l.file, max(l.time) FROM training_lines AS l JOIN (SELECT file, min(id) AS first
    FROM training_clocks GROUP BY file HAVING count(other) < count(*)) AS c ON c.file = l.file AND l.rowid < first
WHERE l.told_other IS NOT NULL AND l.time IS NOT NULL GROUP BY l.file;
DROP TABLE training_clocks;
INSERT OR IGNORE INTO training_dates SELECT file, line, time FROM training_lines WHERE told_other IS NOT NULL AND time IS NOT NULL;

-- GPT-NeoX leaves it to DeepSpeed to tell of saves and loads, rank by rank: the last between two iterations counts.
UPDATE training_lines SET told_other = NULL, told_saved = engine_saved, told_loaded = engine_loaded
WHERE rowid IN (SELECT max(id)
                FROM (SELECT rowid AS id, file, engine_saved IS NULL AS loads, coalesce(engine_saved, engine_loaded) AS number,
                             count(step) OVER (PARTITION BY file ORDER BY rowid) AS place,
                             count(told_saved) OVER (PARTITION BY file) AS saves, count(told_loaded) OVER (PARTITION BY file) AS loaded
                      FROM training_lines
                      WHERE file IN (SELECT l.file FROM training_lines AS l WHERE coalesce(l.engine_saved, l.engine_loaded) IS NOT NULL))
                WHERE number IS NOT NULL AND iif(loads, loaded, saves) = 0 GROUP BY file, place, loads);
-- Lines that stay are numbered anew, without a gap.
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
SELECT * FROM training_lines WHERE EXISTS (SELECT 1 FROM training_others) AND told_other IS NULL ORDER BY rowid;
DELETE FROM training_lines WHERE EXISTS (SELECT 1 FROM training_others);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;
--@ end
DROP TABLE training_others;
