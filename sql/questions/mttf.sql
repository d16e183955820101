-- mttf.sql - mean time to failure by job size, against 1/N.
--
--@ table mpg_mttf - mean time to failure by job size, against 1/N
--@ column size TEXT - S, M, L, XL
--@ column runs BIGINT runs times that a gang was complete
--@ column failures BIGINT failures of them that a failure ended: failed, node_fail or gang_broken
--@ column preemptions BIGINT runs that a preemption ended, which is no failure
--@ column run_hours REAL hours all runs together
--@ column mean_chips REAL chips of the runs, weighed by their time
--@ column mttf_hours REAL hours run_hours / failures
--@ column expected_hours REAL hours what a chip's own rate of failures in the whole fleet makes of it: MTTF of one chip / mean_chips
--@ column ratio REAL ratio mttf / expected: above 1 such jobs last longer than their size says
-- Basis: time in which gangs were complete.
WITH by_size AS (
  SELECT a.size, count(*) AS runs, sum(coalesce(r.outcome IN ('failed', 'node_fail', 'gang_broken'), 0)) AS failures,
         sum(coalesce(r.outcome = 'preempted', 0)) AS preemptions, sum(r.end_us - r.start_us) AS run_us, sum(r.held_us) AS held_us
  FROM runs AS r JOIN attempts AS a ON a.job = r.job AND a.attempt = r.attempt
  GROUP BY a.size
),
fleet AS (SELECT 1.0 * sum(held_us) / nullif(sum(failures), 0) AS us_of_a_chip FROM by_size)
SELECT size, runs, failures, preemptions, run_us / 3.6e9 AS run_hours, 1.0 * held_us / run_us AS mean_chips,
       run_us / 3.6e9 / nullif(failures, 0) AS mttf_hours, us_of_a_chip / 3.6e9 / (1.0 * held_us / run_us) AS expected_hours,
       1.0 * run_us / nullif(failures, 0) / (us_of_a_chip / (1.0 * held_us / run_us)) AS ratio
FROM by_size, fleet
ORDER BY CASE size WHEN 'S' THEN 1 WHEN 'M' THEN 2 WHEN 'L' THEN 3 ELSE 4 END;
