-- data_quality.sql - what is missing or odd in the records: coverage, overlaps, PG above 1, what nothing explains.
--
--@ table mpg_data_quality - what is missing or odd in the records: coverage, overlaps, PG above 1, what nothing explains
--@ column topic TEXT - coverage, unclassified, beyond, issue
--@ column what TEXT - the measure
--@ column value REAL value a ratio, of counts a number
--@ column of TEXT - what it is a share of, or the unit
--@ column detail TEXT - of issues the first message
-- Basis: capacity, allocated and productive time, as each row says.
WITH sums AS (
  SELECT sum(capacity_us) AS c, sum(allocated_us) AS a, sum(untraced_us) AS u, sum(productive_us) AS g, sum(unrated_us) AS r,
         sum(iif(category = 'unknown', chip_us, 0)) AS unknown, sum(iif(category = 'pending', chip_us, 0)) AS pending
  FROM cells
),
jobs_pg AS (SELECT job, sum(ideal_us) AS i, sum(productive_us) - sum(unrated_us) AS g FROM cells WHERE job IS NOT NULL GROUP BY job),
negative AS (SELECT pool, hour, sum(chip_us) AS idle_us FROM ledger WHERE category = 'idle' GROUP BY pool, hour)
SELECT topic, what, value, of, detail
FROM (
  SELECT 1 AS place, 'coverage' AS topic, 'traced' AS what, 1.0 * (a - u) / nullif(a, 0) AS value, 'allocated time' AS of, NULL AS detail
  FROM sums
  UNION ALL SELECT 2, 'coverage', 'rated', 1.0 * (g - r) / nullif(g, 0), 'productive time', NULL FROM sums
  UNION ALL SELECT 3, 'coverage', 'jobs without runtime records', count(DISTINCT job), 'jobs', NULL FROM ledger WHERE category = 'untraced'
  UNION ALL SELECT 4, 'coverage', 'programs without FLOPs', coalesce(sum(flops IS NULL), 0), 'programs', NULL FROM programs
  UNION ALL SELECT 5, 'unclassified', 'unknown', 1.0 * unknown / nullif(a, 0), 'allocated time', NULL FROM sums
  UNION ALL SELECT 6, 'unclassified', 'pending', 1.0 * pending / nullif(a, 0), 'allocated time', NULL FROM sums
  UNION ALL SELECT 7, 'beyond', 'jobs with PG above 1', coalesce(sum(i > g), 0), 'jobs', NULL FROM jobs_pg
  UNION ALL SELECT 8, 'beyond', 'hours with more held than exists', count(*), 'hours of a pool', NULL FROM negative WHERE idle_us < 0
  UNION ALL SELECT 9, 'issue', severity || ' ' || kind, sum(count), 'records', min(detail) FROM issues GROUP BY severity, kind
)
ORDER BY place, what;
