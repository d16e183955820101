-- trend.sql - goodput over time, with the seven days up to each.
--
-- Inputs:
--   :width  'day' (unless given), 'hour', 'week' or 'month'
--   :since  first hour or day that counts; everything unless given
--   :until  first hour or day that does not
-- Columns:
--   bucket               text        start of the hour or day, '2026-W02', '2026-01'
--   capacity_chip_hours  chip-hours
--   SG                   ratio       allocated / capacity
--   RG                   ratio       productive / (allocated - untraced)
--   PG                   ratio       ideal / (productive - unrated)
--   MPG_lower            ratio       ideal / capacity: untraced and unrated count as no ideal
--   MPG_7                ratio       the same of this bucket and the six before it
-- Basis: installed capacity.
WITH sums AS (
  SELECT CASE coalesce(:width, 'day') WHEN 'hour' THEN hour WHEN 'day' THEN date(day) WHEN 'week' THEN week WHEN 'month' THEN month
           ELSE 'unknown :width, ' || :width END AS bucket,
         sum(capacity_us) AS c, sum(allocated_us) AS a, sum(allocated_us) - sum(untraced_us) AS t, sum(productive_us) AS g,
         sum(productive_us) - sum(unrated_us) AS r, sum(ideal_us) AS i
  FROM cells
  WHERE hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z') AND hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY 1
)
SELECT bucket, c / 3.6e9 AS capacity_chip_hours, 1.0 * a / nullif(c, 0) AS SG, 1.0 * g / nullif(t, 0) AS RG, 1.0 * i / nullif(r, 0) AS PG,
       1.0 * i / nullif(c, 0) AS MPG_lower,
       1.0 * sum(i) OVER seven / nullif(sum(c) OVER seven, 0) AS MPG_7
FROM sums
WINDOW seven AS (ORDER BY bucket ROWS 6 PRECEDING)
ORDER BY bucket;
