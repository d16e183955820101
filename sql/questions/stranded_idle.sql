-- stranded_idle.sql - chips that were idle while jobs were waiting for chips of the same pool.
--
--@ table mpg_stranded_idle - chips that were idle while jobs were waiting for chips of the same pool
--@ column pool TEXT -
--@ column idle_chip_hours REAL chip-hours in service, held by no job
--@ column queued_chip_hours REAL chip-hours wanted and not held
--@ column stranded_chip_hours REAL chip-hours at each moment the lesser of the two
--@ column fitting_chip_hours REAL chip-hours of it: what jobs that would have fitted as a whole could have had
--@ column stranded_share REAL ratio stranded / idle
-- Basis: pools over the whole trace. Compatible means: of the same pool; a job that never got a chip waits for none, and is not here (queue_delay.sql has it). A negative idle time (more held than exists) counts as none.
WITH waiting AS ( -- chips in millionths, as they may be fractions
  SELECT pool, category, start_us, end_us, CAST(round(1e6 * chip_us / (end_us - start_us)) AS INTEGER) AS chips
  FROM waits WHERE pool IS NOT NULL AND category IN ('idle', 'queued')
),
edges AS (
  SELECT pool, start_us AS at_us, category, chips, 1 AS sign FROM waiting
  UNION ALL
  SELECT pool, end_us, category, chips, -1 FROM waiting
),
points AS (
  SELECT pool, at_us, sum(iif(category = 'idle', sign * chips, 0)) AS idle, sum(iif(category = 'queued', sign * chips, 0)) AS queued
  FROM edges GROUP BY pool, at_us
),
levels AS (
  SELECT pool, at_us, lead(at_us) OVER (PARTITION BY pool ORDER BY at_us) AS until_us,
         sum(idle) OVER (PARTITION BY pool ORDER BY at_us) AS idle, sum(queued) OVER (PARTITION BY pool ORDER BY at_us) AS queued
  FROM points
),
sizes AS (SELECT pool, chips, row_number() OVER (ORDER BY pool, chips) AS size FROM (SELECT DISTINCT pool, chips FROM waiting WHERE category = 'queued')),
by_size AS ( -- what is queued, by how much one wants (of sizes there are few), where as many chips are idle
  SELECT pool, at_us, is_level, sum(change) OVER (PARTITION BY size ORDER BY at_us) AS wanted
  FROM (
    SELECT l.pool, l.at_us, s.size, 1 AS is_level, 0 AS change FROM levels AS l JOIN sizes AS s ON s.pool = l.pool AND s.chips <= l.idle WHERE l.queued > 0
    UNION ALL
    SELECT e.pool, e.at_us, s.size, 0, e.sign * e.chips FROM edges AS e CROSS JOIN sizes AS s WHERE e.category = 'queued' AND s.pool = e.pool AND s.chips = e.chips
  )
),
held AS (
  SELECT pool, max(max(idle), 0) AS idle, max(queued) AS queued, max(until_us) - at_us AS length_us, sum(fits) AS fits
  FROM (
    SELECT pool, at_us, until_us, idle, queued, 0 AS fits FROM levels
    UNION ALL
    SELECT pool, at_us, NULL, NULL, NULL, wanted FROM by_size WHERE is_level
  )
  GROUP BY pool, at_us HAVING max(until_us) IS NOT NULL
),
times AS ( -- whole chips and the rest apart, so that the products fit
  SELECT pool, idle / 1000000 * length_us + idle % 1000000 * length_us / 1000000 AS idle_us,
         queued / 1000000 * length_us + queued % 1000000 * length_us / 1000000 AS queued_us,
         min(idle, queued) / 1000000 * length_us + min(idle, queued) % 1000000 * length_us / 1000000 AS stranded_us,
         min(idle, fits) / 1000000 * length_us + min(idle, fits) % 1000000 * length_us / 1000000 AS fitting_us
  FROM held
)
SELECT pool, sum(idle_us) / 3.6e9 AS idle_chip_hours, sum(queued_us) / 3.6e9 AS queued_chip_hours,
       sum(stranded_us) / 3.6e9 AS stranded_chip_hours, sum(fitting_us) / 3.6e9 AS fitting_chip_hours,
       1.0 * sum(stranded_us) / nullif(sum(idle_us), 0) AS stranded_share
FROM times
GROUP BY pool
ORDER BY pool;
