-- rg_by_phase.sql - runtime goodput by phase, and what lowers it.
--
--@ table mpg_rg_by_phase - runtime goodput by phase, and what lowers it
--@ column phase TEXT - training, serving, bulk_inference, ...
--@ column jobs BIGINT jobs
--@ column traced_chip_hours REAL chip-hours allocated - untraced: the denominator
--@ column RG REAL ratio productive / traced
--@ column startup REAL ratio shares of the traced time: with RG they add up to 1
--@ column compile REAL ratio
--@ column restore REAL ratio
--@ column input REAL ratio
--@ column checkpoint REAL ratio
--@ column eval REAL ratio
--@ column stall REAL ratio
--@ column lost REAL ratio
--@ column pending REAL ratio
--@ column unknown REAL ratio
-- Basis: allocated - untraced.
WITH sums AS (
  SELECT phase, count(DISTINCT job) AS jobs, sum(allocated_us) - sum(untraced_us) AS traced_us, sum(productive_us) AS productive_us,
         sum(iif(category = 'startup', chip_us, 0)) AS startup, sum(iif(category = 'compile', chip_us, 0)) AS compile,
         sum(iif(category = 'restore', chip_us, 0)) AS restore, sum(iif(category = 'input', chip_us, 0)) AS input,
         sum(iif(category = 'checkpoint', chip_us, 0)) AS checkpoint, sum(iif(category = 'eval', chip_us, 0)) AS eval,
         sum(iif(category = 'stall', chip_us, 0)) AS stall, sum(iif(category = 'lost', chip_us, 0)) AS lost,
         sum(iif(category = 'pending', chip_us, 0)) AS pending, sum(iif(category = 'unknown', chip_us, 0)) AS unknown
  FROM cells WHERE job IS NOT NULL GROUP BY phase
)
SELECT phase, jobs, traced_us / 3.6e9 AS traced_chip_hours, 1.0 * productive_us / traced_us AS RG, 1.0 * startup / traced_us AS startup,
       1.0 * compile / traced_us AS compile, 1.0 * restore / traced_us AS restore, 1.0 * input / traced_us AS input,
       1.0 * checkpoint / traced_us AS checkpoint, 1.0 * eval / traced_us AS eval, 1.0 * stall / traced_us AS stall,
       1.0 * lost / traced_us AS lost, 1.0 * pending / traced_us AS pending, 1.0 * unknown / traced_us AS unknown
FROM sums
WHERE traced_us > 0
ORDER BY phase;
