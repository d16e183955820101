-- compile_startup.sql - the share of time in compilation and startup, and what a compilation cache would save.
--
--@ table mpg_compile_startup - the share of time in compilation and startup, and what a compilation cache would save
--@ argument by :by TEXT 'framework' (unless given), 'fleet', 'pool', 'phase', 'size', 'runtime', 'model', 'team', 'job'
--@ column segment TEXT - the group
--@ column compile_chip_hours REAL chip-hours category compile
--@ column startup_chip_hours REAL chip-hours category startup
--@ column compile_share REAL ratio of the traced allocated time
--@ column startup_share REAL ratio of the traced allocated time
--@ column repeated_chip_hours REAL chip-hours of compile: in a job's second and later attempts, which had it compiled before
--@ column gain REAL points percentage points of RG that a cache which spares all of these would add: the same work in less time
-- Basis: allocated - untraced.
WITH firsts AS (SELECT job, min(attempt) AS attempt FROM ledger WHERE category = 'compile' GROUP BY job),
sums AS (
  SELECT CASE coalesce(:by, 'framework') WHEN 'framework' THEN framework WHEN 'pool' THEN pool WHEN 'phase' THEN phase WHEN 'size' THEN size
           WHEN 'runtime' THEN runtime WHEN 'model' THEN model WHEN 'team' THEN team WHEN 'job' THEN job
           WHEN 'fleet' THEN 'fleet' ELSE 'unknown :by, ' || :by END AS segment,
         coalesce(sum(chip_us) FILTER (WHERE category = 'compile'), 0) AS compile_us,
         coalesce(sum(chip_us) FILTER (WHERE category = 'startup'), 0) AS startup_us,
         coalesce(sum(chip_us) FILTER (WHERE category = 'compile' AND cells.attempt > firsts.attempt), 0) AS repeated_us,
         sum(allocated_us) - sum(untraced_us) AS traced_us, sum(productive_us) AS productive_us
  FROM cells LEFT JOIN firsts USING (job) WHERE job IS NOT NULL GROUP BY 1
)
SELECT segment, compile_us / 3.6e9 AS compile_chip_hours, startup_us / 3.6e9 AS startup_chip_hours,
       1.0 * compile_us / nullif(traced_us, 0) AS compile_share, 1.0 * startup_us / nullif(traced_us, 0) AS startup_share,
       repeated_us / 3.6e9 AS repeated_chip_hours,
       100.0 * (1.0 * productive_us / nullif(traced_us - repeated_us, 0) - 1.0 * productive_us / traced_us) AS gain
FROM sums
WHERE traced_us > 0
ORDER BY compile_us + startup_us DESC, segment;
