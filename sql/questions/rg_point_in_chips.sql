-- rg_point_in_chips.sql - how many chips one more percentage point of runtime goodput is worth.
--
--@ table mpg_rg_point_in_chips - how many chips one more percentage point of runtime goodput is worth
--@ argument points :points REAL above 0 to 100: percentage points; 1 unless given
--@ column pool TEXT - the last row, 'all', is the fleet
--@ column chips REAL chips capacity on average over the ledger
--@ column RG REAL ratio today
--@ column ideal_chips REAL chips chips' worth of ideal work today: MPG_lower x chips
--@ column more_ideal_chips REAL chips that the points add, at today's SG and PG
--@ column equivalent_chips REAL chips more of the same that would add as much, at today's goodput
-- Basis: installed capacity; allocated - untraced for RG.
WITH ledger_time AS ( -- what waits does not list of the capacity, attempts held
  SELECT max(end_us) - min(start_us) AS length_us
  FROM (SELECT start_us, end_us FROM waits WHERE category <> 'queued' UNION ALL SELECT start_us, end_us FROM attempts)
),
sums AS (
  SELECT pool, sum(capacity_us) AS c, sum(allocated_us - untraced_us) AS t, sum(productive_us) AS g, sum(ideal_us) AS i
  FROM cells WHERE pool IS NOT NULL GROUP BY pool
  UNION ALL
  SELECT 'all', sum(capacity_us), sum(allocated_us - untraced_us), sum(productive_us), sum(ideal_us) FROM cells
)
SELECT pool, 1.0 * c / length_us AS chips, 1.0 * g / nullif(t, 0) AS RG, 1.0 * i / length_us AS ideal_chips,
       1.0 * i / length_us * (coalesce(:points, 1) / 100.0) / nullif(1.0 * g / nullif(t, 0), 0) AS more_ideal_chips,
       1.0 * c / length_us * (coalesce(:points, 1) / 100.0) / nullif(1.0 * g / nullif(t, 0), 0) AS equivalent_chips
FROM sums, ledger_time
ORDER BY pool = 'all', pool;
