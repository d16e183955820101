-- losses.sql - where the chip-hours went, and what they cost: a waterfall from capacity down to ideal.
--
--@ table mpg_losses - where the chip-hours went, and what they cost: a waterfall from capacity down to ideal
--@ argument pool :pool TEXT one pool; all unless given
--@ argument since :since TIME first hour or day that counts; everything unless given
--@ argument until :until TIME first hour or day that does not
--@ column step TEXT - category, and its cause behind a slash; 'capacity' is first, 'ideal' is what is left
--@ column layer TEXT - scheduling, runtime, program or no data: the factor that it lowers
--@ column chip_hours REAL chip-hours what was lost here, of capacity and ideal what is there; inefficiency may be negative
--@ column share REAL ratio chip_hours / capacity
--@ column remaining_chip_hours REAL chip-hours capacity less everything up to here
--@ column money REAL money at the prices of table prices, by the ledger's name of the chip; NULL where a chip has none
-- Basis: installed capacity; queued demand is outside it and is not here.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH by_chip AS (
  SELECT l.category, l.cause, l.chip, sum(l.chip_us) AS chip_us
  FROM ledger AS l
  WHERE l.category <> 'queued' AND (:pool IS NULL OR l.pool = :pool)
    AND +l.hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z') AND +l.hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY l.category, l.cause, l.chip
),
parts AS (
  SELECT b.category, b.cause, sum(b.chip_us) AS chip_us,
         -- whole chip-hours, and the rest: nothing overflows, and each chip is rounded once
         sum(b.chip_us / 3600000000 * p.micros_per_chip_hour + b.chip_us % 3600000000 * p.micros_per_chip_hour / 3600000000.0) AS micros,
         sum(p.chip IS NULL AND b.chip_us <> 0) AS unpriced
  FROM by_chip AS b LEFT JOIN prices AS p ON p.chip = b.chip
  GROUP BY b.category, b.cause
),
steps AS (
  SELECT 0 AS place, 'capacity' AS step, NULL AS layer, sum(chip_us) AS chip_us, sum(micros) AS micros, sum(unpriced) AS unpriced
  FROM parts
  UNION ALL
  SELECT CASE category WHEN 'down' THEN 1 WHEN 'idle' THEN 2 WHEN 'partial' THEN 3 WHEN 'startup' THEN 4 WHEN 'compile' THEN 5
                       WHEN 'restore' THEN 6 WHEN 'input' THEN 7 WHEN 'checkpoint' THEN 8 WHEN 'eval' THEN 9 WHEN 'stall' THEN 10
                       WHEN 'lost' THEN 11 WHEN 'pending' THEN 12 WHEN 'unknown' THEN 13 WHEN 'untraced' THEN 14
                       WHEN 'unrated' THEN 15 WHEN 'inefficiency' THEN 16 ELSE 17 END,
         category || coalesce('/' || cause, ''),
         CASE WHEN category IN ('down', 'idle', 'partial') THEN 'scheduling' WHEN category IN ('untraced', 'unrated') THEN 'no data'
              WHEN category = 'inefficiency' THEN 'program' WHEN category = 'ideal' THEN 'ideal' ELSE 'runtime' END,
         chip_us, micros, unpriced
  FROM parts
)
SELECT step, layer, chip_us / 3.6e9 AS chip_hours,
       1.0 * chip_us / nullif(first_value(chip_us) OVER (ORDER BY place, step), 0) AS share,
       (first_value(chip_us) OVER (ORDER BY place, step)
        - iif(place = 0 OR place = 17, 0, sum(iif(place BETWEEN 1 AND 16, chip_us, 0)) OVER (ORDER BY place, step))
        - iif(place = 17, sum(iif(place BETWEEN 1 AND 16, chip_us, 0)) OVER (), 0)) / 3.6e9 AS remaining_chip_hours,
       CASE WHEN unpriced = 0 THEN micros / 1e6 END AS money
FROM steps
WHERE chip_us IS NOT NULL
ORDER BY place, step;
