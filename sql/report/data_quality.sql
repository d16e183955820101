-- data_quality.sql - how much is known of each pool's time.
--
--@ column pool TEXT - the last row, 'all', is the fleet
--@ column capacity_chip_hours REAL chip-hours
--@ column traced REAL ratio share of the allocated time of jobs with runtime records
--@ column rated REAL ratio share of the productive time of programs whose FLOPs and chip are known
--@ column unknown REAL ratio share of the allocated time that nothing explains
--@ column pending REAL ratio share of the allocated time whose fate the end of the trace leaves open
--@ column idle_below_zero REAL chip-hours held beyond what exists, in hours where that is so
--@ column issues BIGINT records of 'all': what the last build noticed, but for what is merely worth knowing
-- Basis: as the columns say. The measures one by one, and the issues, are in sql/questions/data_quality.sql.
WITH sums AS (
  SELECT pool, sum(capacity_us) AS c, sum(allocated_us) AS a, sum(untraced_us) AS u, sum(productive_us) AS g, sum(unrated_us) AS r,
         sum(iif(category = 'unknown', chip_us, 0)) AS unknown_us, sum(iif(category = 'pending', chip_us, 0)) AS pending_us,
         sum(iif(category = 'idle', min(chip_us, 0), 0)) AS below_us
  FROM cells WHERE pool IS NOT NULL GROUP BY pool
),
every AS (
  SELECT 0 AS place, * FROM sums
  UNION ALL
  SELECT 1, 'all', sum(c), sum(a), sum(u), sum(g), sum(r), sum(unknown_us), sum(pending_us), sum(below_us) FROM sums
)
SELECT pool, c / 3.6e9 AS capacity_chip_hours, 1.0 * (a - u) / nullif(a, 0) AS traced, 1.0 * (g - r) / nullif(g, 0) AS rated,
       1.0 * unknown_us / nullif(a, 0) AS unknown, 1.0 * pending_us / nullif(a, 0) AS pending, -below_us / 3.6e9 AS idle_below_zero,
       iif(place = 1, coalesce((SELECT sum(count) FROM issues WHERE severity <> 'info'), 0), NULL) AS issues
FROM every
WHERE c IS NOT NULL
ORDER BY place, pool;
