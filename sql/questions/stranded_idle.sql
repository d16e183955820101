-- stranded_idle.sql - chips that were idle while jobs were waiting for chips of the same pool.
--
--@ table mpg_stranded_idle - chips that were idle while jobs were waiting for chips of the same pool
--@ column pool TEXT -
--@ column idle_chip_hours REAL chip-hours in service, held by no job
--@ column queued_chip_hours REAL chip-hours wanted and not held
--@ column stranded_chip_hours REAL chip-hours at each moment the lesser of the two
--@ column fitting_chip_hours REAL chip-hours of it: what jobs that would have fitted as a whole could have had
--@ column stranded_share REAL ratio stranded / idle
-- Basis: pools over the whole trace. Compatible means: of the same pool; a job that never got a chip waits for none, and is not here
-- (queue_delay.sql has it). A negative idle time (more held than exists) counts as none.
WITH RECURSIVE waiting AS ( -- chips in millionths, as they may be fractions
  SELECT pool, category, start_us, end_us, CAST(round(1e6 * chip_us / (end_us - start_us)) AS INTEGER) AS chips
  FROM waits WHERE pool IS NOT NULL AND category IN ('idle', 'queued')
),
edges AS ( -- each moment of a pool at which anything changes begins a level
  SELECT pool, at_us, category, chips, sign, dense_rank() OVER (ORDER BY pool, at_us) AS level
  FROM (SELECT pool, start_us AS at_us, category, chips, 1 AS sign
        FROM waiting UNION ALL SELECT pool, end_us, category, chips, -1 FROM waiting)
),
points AS (
  SELECT level, pool, at_us, sum(iif(category = 'idle', sign * chips, 0)) AS idle, sum(iif(category = 'queued', sign * chips, 0)) AS queued
  FROM edges GROUP BY level
),
levels AS (
  SELECT level, pool, lead(at_us) OVER (PARTITION BY pool ORDER BY level) - at_us AS length_us,
         sum(idle) OVER (PARTITION BY pool ORDER BY level) AS idle, sum(queued) OVER (PARTITION BY pool ORDER BY level) AS queued
  FROM points
),
changes AS ( -- what the jobs of one size, of which there are few, want together
  SELECT chips, level, lead(level) OVER (PARTITION BY pool, chips ORDER BY level) AS until_level,
         sum(sum(sign * chips)) OVER (PARTITION BY pool, chips ORDER BY level) AS wanted
  FROM edges WHERE category = 'queued' GROUP BY pool, chips, level
),
wants(level, until_level, chips, wanted) AS ( -- the same at each level at which they want any
  SELECT level, until_level, chips, wanted FROM changes WHERE wanted > 0
  UNION ALL
  SELECT level + 1, until_level, chips, wanted FROM wants WHERE level + 1 < until_level
),
held AS (
  SELECT max(pool) AS pool, max(max(idle), 0) AS idle, max(queued) AS queued, max(length_us) AS length_us, sum(fits) AS fits
  FROM (
    SELECT level, pool, idle, queued, length_us, 0 AS fits FROM levels
    UNION ALL
    SELECT w.level, NULL, NULL, NULL, NULL, w.wanted FROM wants AS w CROSS JOIN levels AS l WHERE l.level = w.level AND w.chips <= l.idle
  )
  GROUP BY level HAVING max(length_us) IS NOT NULL
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
