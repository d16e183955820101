-- stragglers.sql - steps that took much longer than their job's usual step.
--
--@ table mpg_stragglers - steps that took much longer than their job's usual step
--@ argument factor :factor REAL above 0: times the median of the job's steps from which a step is a straggler; 1.3 unless given
--@ argument top :top BIGINT from 0: how many jobs; 10 unless given
--@ column job TEXT -
--@ column size TEXT - S, M, L, XL
--@ column steps BIGINT steps that ended
--@ column median_s REAL seconds lower median of their lengths
--@ column stragglers BIGINT steps
--@ column share REAL ratio stragglers / steps
--@ column worst_s REAL seconds the longest step
--@ column excess_chip_hours REAL chip-hours what stragglers took beyond the median, times the chips that the job needs
-- Basis: spans of kind step and batch as they were recorded, with what is nested in them. A job that scales up and down has steps of
-- several lengths, and is left out.
WITH counted AS (
  SELECT job, count(*) AS steps FROM spans WHERE kind IN ('step', 'batch') AND end_us IS NOT NULL
  GROUP BY job HAVING job NOT IN (SELECT job FROM jobs WHERE min_chips IS NOT NULL)
),
medians AS ( -- the lengths of one job after the other are sorted; grouped, so that each is looked for once
  SELECT c.job, c.steps, max((SELECT length_us
                              FROM (SELECT end_us - start_us AS length_us, row_number() OVER (ORDER BY end_us - start_us) AS place
             FROM spans AS s WHERE s.job = c.job AND s.kind IN ('step', 'batch') AND s.end_us IS NOT NULL)
                              WHERE place = (c.steps + 1) / 2)) AS median_us
  FROM counted AS c GROUP BY c.job, c.steps
),
slow AS (
  SELECT m.job, m.steps, m.median_us, count(*) AS stragglers, max(s.end_us - s.start_us) AS worst_us,
         sum(s.end_us - s.start_us - m.median_us) AS excess_us
  FROM medians AS m CROSS JOIN spans AS s
  WHERE s.job = m.job AND s.kind IN ('step', 'batch') AND s.end_us IS NOT NULL
    AND s.end_us - s.start_us >= coalesce(:factor, 1.3) * m.median_us
  GROUP BY m.job
),
needs AS (SELECT job, max(size) AS size, max(chips) AS chips FROM attempts GROUP BY job)
SELECT s.job, n.size, s.steps, s.median_us / 1e6 AS median_s, s.stragglers, 1.0 * s.stragglers / s.steps AS share,
       s.worst_us / 1e6 AS worst_s,
       s.excess_us / 3.6e9 * n.chips AS excess_chip_hours
FROM slow AS s LEFT JOIN needs AS n ON n.job = s.job
ORDER BY s.excess_us * n.chips DESC, s.job
LIMIT coalesce(:top, 10);
