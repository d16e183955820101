-- tfevents/rates.sql - what the trainer says beside each value of a step: its rate, and what the step took.
--
-- Reads tfevents_told and tfevents_attempts. Leaves in tfevents_rate and tfevents_took the values of each row of tfevents_told, under its
-- rowid.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

-- Mostly they stand there one for one, in the same order.
DROP TABLE IF EXISTS temp.tfevents_apart;
CREATE TEMP TABLE tfevents_apart AS
SELECT 1 AS apart
WHERE EXISTS (SELECT 1 FROM tfevents_rebuilt)
   OR EXISTS (SELECT 1 FROM tfevents_parts AS p LEFT JOIN tfevents_chosen AS c USING (job)
              WHERE p.role IN ('rate', 'seconds') AND p.place IS NOT c.place)
   OR EXISTS (SELECT 1 FROM tfevents_rate)
   AND ((SELECT count(*) FROM tfevents_rate) <> (SELECT count(*) FROM tfevents_told) + (SELECT count(*) FROM tfevents_twice)
     OR EXISTS (SELECT 1 FROM tfevents_twice AS t LEFT JOIN tfevents_rate AS r ON r.rowid = t.id
                WHERE t.step IS NOT r.step OR t.part IS NOT r.part)
     OR EXISTS (SELECT 1 FROM tfevents_told AS t LEFT JOIN tfevents_rate AS r ON r.rowid = t.rowid
                WHERE t.step IS NOT r.step OR t.part IS NOT r.part))
   OR EXISTS (SELECT 1 FROM tfevents_took)
   AND ((SELECT count(*) FROM tfevents_took) <> (SELECT count(*) FROM tfevents_told) + (SELECT count(*) FROM tfevents_twice)
     OR EXISTS (SELECT 1 FROM tfevents_twice AS t LEFT JOIN tfevents_took AS r ON r.rowid = t.id
                WHERE t.step IS NOT r.step OR t.part IS NOT r.part)
     OR EXISTS (SELECT 1 FROM tfevents_told AS t LEFT JOIN tfevents_took AS r ON r.rowid = t.rowid
                WHERE t.step IS NOT r.step OR t.part IS NOT r.part));

-- Where they do not, the largest of the file for the step.
DROP TABLE IF EXISTS temp.tfevents_rates;
CREATE TEMP TABLE tfevents_rates AS
SELECT part, step, max(tflops) AS tflops, max(seconds) AS seconds
FROM (SELECT part, step, value AS tflops, NULL AS seconds FROM tfevents_apart CROSS JOIN tfevents_rate
      UNION ALL SELECT part, step, NULL, value FROM tfevents_apart CROSS JOIN tfevents_took)
GROUP BY part, step;
CREATE INDEX temp.tfevents_rate_of ON tfevents_rates(part, step);
DELETE FROM tfevents_rate WHERE rowid >= (SELECT 0 FROM tfevents_apart);
DELETE FROM tfevents_took WHERE rowid >= (SELECT 0 FROM tfevents_apart);
INSERT INTO tfevents_rate(rowid, value) SELECT t.rowid, g.tflops
FROM tfevents_apart CROSS JOIN tfevents_told AS t CROSS JOIN tfevents_rates AS g ON g.part = t.part AND g.step = t.step;
INSERT INTO tfevents_took(rowid, value) SELECT t.rowid, g.seconds
FROM tfevents_apart CROSS JOIN tfevents_told AS t CROSS JOIN tfevents_rates AS g ON g.part = t.part AND g.step = t.step;
DROP TABLE tfevents_rates;

-- The same of steps that a file has again.
DROP TABLE IF EXISTS temp.tfevents_again;
CREATE TEMP TABLE tfevents_again(row INTEGER PRIMARY KEY, tflops, seconds);
INSERT INTO tfevents_again
WITH overlap AS MATERIALIZED (
  SELECT a.first, a.last, min(max(a.first_step, b.first_step)) AS low, max(min(a.last_step, b.last_step)) AS high
  FROM tfevents_attempts AS a JOIN tfevents_attempts AS b ON b.run = a.run AND b.first <> a.first AND b.first_step <= a.last_step
    AND b.last_step >= a.first_step
  WHERE NOT EXISTS (SELECT 1 FROM tfevents_apart) GROUP BY a.first
),
both AS MATERIALIZED (
  SELECT t.rowid AS row, t.part, t.step FROM overlap AS g CROSS JOIN tfevents_told AS t ON t.rowid BETWEEN g.first AND g.last
  WHERE t.step BETWEEN g.low AND g.high
  UNION SELECT id, part, step FROM tfevents_twice WHERE NOT EXISTS (SELECT 1 FROM tfevents_apart)
  UNION SELECT kept, part, step FROM tfevents_twice WHERE NOT EXISTS (SELECT 1 FROM tfevents_apart)
),
largest AS MATERIALIZED (
  SELECT b.part, b.step, max(r.value) AS tflops, max(s.value) AS seconds
  FROM both AS b LEFT JOIN tfevents_rate AS r ON r.rowid = b.row LEFT JOIN tfevents_took AS s ON s.rowid = b.row
  GROUP BY b.part, b.step HAVING count(*) > 1
)
SELECT b.row, l.tflops, l.seconds FROM both AS b JOIN largest AS l USING (part, step);
UPDATE tfevents_rate SET value = (SELECT tflops FROM tfevents_again WHERE row = tfevents_rate.rowid)
WHERE rowid IN (SELECT row FROM tfevents_again);
UPDATE tfevents_took SET value = (SELECT seconds FROM tfevents_again WHERE row = tfevents_took.rowid)
WHERE rowid IN (SELECT row FROM tfevents_again);
DROP TABLE tfevents_again;
DROP TABLE tfevents_apart;
