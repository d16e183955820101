-- trend.sql - goodput over time, with the seven days up to each.
--
--@ argument width :width TEXT 'day' (unless given), 'hour', 'week' or 'month'
--@ argument since :since TEXT first hour or day that counts; everything unless given
--@ argument until :until TEXT first hour or day that does not
--@ column bucket TEXT - start of the hour or day, '2026-W02', '2026-01'
--@ column capacity_chip_hours REAL chip-hours
--@ column SG REAL ratio allocated / capacity
--@ column RG REAL ratio productive / (allocated - untraced)
--@ column PG REAL ratio ideal / (productive - unrated)
--@ column MPG REAL ratio ideal / capacity; NULL while anything is untraced or unrated
--@ column MPG_lower REAL ratio the same: untraced and unrated count as no ideal
--@ column MPG_7 REAL ratio the same of this bucket and the six before it
-- Basis: installed capacity.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH hours AS ( -- by the index on time; a row of each hour says which bucket it is in
  SELECT time, sum(capacity_us) AS c, sum(allocated_us) AS a, sum(untraced_us) AS u, sum(productive_us) AS g, sum(unrated_us) AS r,
         sum(ideal_us) AS i
  FROM cells GROUP BY time
),
named AS (
  SELECT (SELECT CASE coalesce(:width, 'day') WHEN 'hour' THEN hour WHEN 'day' THEN date(day) WHEN 'week' THEN week WHEN 'month' THEN month
                   ELSE 'unknown :width, ' || :width END
          FROM cells
          WHERE time IS hours.time AND +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z')
            AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
          LIMIT 1) AS bucket, hours.*
  FROM hours
),
sums AS (
  SELECT bucket, sum(c) AS c, sum(a) AS a, sum(a) - sum(u) AS t, sum(g) AS g, sum(g) - sum(r) AS r, sum(i) AS i
  FROM named WHERE bucket IS NOT NULL GROUP BY bucket
)
SELECT bucket, c / 3.6e9 AS capacity_chip_hours, 1.0 * a / nullif(c, 0) AS SG, 1.0 * g / nullif(t, 0) AS RG, 1.0 * i / nullif(r, 0) AS PG,
       CASE WHEN a = t AND g = r THEN 1.0 * i / nullif(c, 0) END AS MPG, 1.0 * i / nullif(c, 0) AS MPG_lower,
       1.0 * sum(i) OVER seven / nullif(sum(c) OVER seven, 0) AS MPG_7
FROM sums
WINDOW seven AS (ORDER BY bucket ROWS 6 PRECEDING)
ORDER BY bucket;
