-- stragglers.sql - steps that took much longer than their job's usual step.
--
--@ table mpg_stragglers - steps that took much longer than their job's usual step
--@ argument factor :factor REAL times the median of the job's steps from which a step is a straggler; 1.3 unless given
--@ argument top :top BIGINT how many jobs; 10 unless given
--@ column job TEXT -
--@ column size TEXT - S, M, L, XL
--@ column steps BIGINT steps that ended
--@ column median_s REAL seconds lower median of their lengths
--@ column stragglers BIGINT steps
--@ column share REAL ratio stragglers / steps
--@ column worst_s REAL seconds the longest step
--@ column excess_chip_hours REAL chip-hours what stragglers took beyond the median, times the chips that the job needs
-- Basis: spans of kind step and batch as they were recorded, with what is nested in them. A job that scales up and down has steps of several lengths, and is left out.
WITH lengths AS (
  SELECT s.job, s.end_us - s.start_us AS length_us, row_number() OVER (PARTITION BY s.job ORDER BY s.end_us - s.start_us) AS place,
         count(*) OVER (PARTITION BY s.job) AS steps
  FROM spans AS s LEFT JOIN jobs AS j ON j.job = s.job
  WHERE s.kind IN ('step', 'batch') AND s.end_us IS NOT NULL AND j.min_chips IS NULL
),
medians AS (
  SELECT *, max(iif(place = (steps + 1) / 2, length_us, 0)) OVER (PARTITION BY job) AS median_us FROM lengths
),
judged AS (SELECT *, length_us >= coalesce(:factor, 1.3) * median_us AS is_slow FROM medians),
slow AS (
  SELECT job, steps, median_us, sum(is_slow) AS stragglers, max(length_us) AS worst_us, sum(iif(is_slow, length_us - median_us, 0)) AS excess_us
  FROM judged GROUP BY job
),
needs AS (SELECT job, max(size) AS size, max(chips) AS chips FROM attempts GROUP BY job)
SELECT s.job, n.size, s.steps, s.median_us / 1e6 AS median_s, s.stragglers, 1.0 * s.stragglers / s.steps AS share, s.worst_us / 1e6 AS worst_s,
       s.excess_us / 3.6e9 * n.chips AS excess_chip_hours
FROM slow AS s LEFT JOIN needs AS n ON n.job = s.job
WHERE s.stragglers > 0
ORDER BY s.excess_us * n.chips DESC, s.job
LIMIT coalesce(:top, 10);
