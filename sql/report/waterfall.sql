-- waterfall.sql - from capacity down to ideal, a bar for each category.
--
--@ argument since :since TEXT first hour or day that counts; everything unless given
--@ argument until :until TEXT first hour or day that does not
--@ column place REAL number order of the bars
--@ column category TEXT - 'capacity', the categories, and 'ideal', which is what is left
--@ column layer TEXT - capacity, scheduling, runtime, program, no data, ideal
--@ column chip_hours REAL chip-hours lost here; of capacity and ideal what is there
--@ column share REAL ratio chip_hours / capacity
--@ column from_hours REAL chip-hours where the bar begins
--@ column to_hours REAL chip-hours where it ends
-- Basis: installed capacity; queued demand is outside it and is not here.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH parts AS (
  SELECT category, sum(chip_us) AS us FROM ledger
  WHERE category <> 'queued' AND +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z')
    AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY category
),
steps AS (
  SELECT 0 AS place, 'capacity' AS category, 'capacity' AS layer, sum(us) AS us, 0 AS lost FROM parts
  UNION ALL
  SELECT CASE category WHEN 'down' THEN 1 WHEN 'idle' THEN 2 WHEN 'partial' THEN 3 WHEN 'startup' THEN 4 WHEN 'compile' THEN 5
                       WHEN 'restore' THEN 6 WHEN 'input' THEN 7 WHEN 'checkpoint' THEN 8 WHEN 'eval' THEN 9 WHEN 'stall' THEN 10
                       WHEN 'lost' THEN 11 WHEN 'pending' THEN 12 WHEN 'unknown' THEN 13 WHEN 'untraced' THEN 14
                       WHEN 'unrated' THEN 15 WHEN 'inefficiency' THEN 16 ELSE 17 END,
         category,
         CASE WHEN category IN ('down', 'idle', 'partial') THEN 'scheduling' WHEN category IN ('untraced', 'unrated') THEN 'no data'
              WHEN category = 'inefficiency' THEN 'program' WHEN category = 'ideal' THEN 'ideal' ELSE 'runtime' END,
         us, iif(category = 'ideal', 0, us)
  FROM parts
),
placed AS (
  SELECT *, first_value(us) OVER (ORDER BY place) AS capacity, sum(lost) OVER (ORDER BY place) AS gone FROM steps WHERE us IS NOT NULL
)
SELECT place, category, layer, us / 3.6e9 AS chip_hours, 1.0 * us / nullif(capacity, 0) AS share,
       iif(place IN (0, 17), 0, capacity - gone + lost) / 3.6e9 AS from_hours,
       iif(place = 0, capacity, iif(place = 17, us, capacity - gone)) / 3.6e9 AS to_hours
FROM placed
ORDER BY place;
