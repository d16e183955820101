-- input_bound.sql - jobs that wait for their input data.
--
--@ table mpg_input_bound - jobs that wait for their input data
--@ argument least_share :share REAL from 0 to 1: of the time in steps and in waiting for input, from which a job is listed; 0.05 unless given
--@ column job TEXT -
--@ column model TEXT -
--@ column size TEXT - S, M, L, XL
--@ column input_chip_hours REAL chip-hours category input
--@ column step_chip_hours REAL chip-hours executed steps, whatever became of them
--@ column share REAL ratio input / (input + steps)
--@ column RG REAL ratio as it is
--@ column RG_without REAL ratio if the input had been there: the same work in less time
-- Basis: traced allocated time of the job.
WITH sums AS (
  SELECT job, max(model) AS model, max(size) AS size, sum(iif(category = 'input', chip_us, 0)) AS input_us,
         sum(productive_us) + sum(iif(category IN ('lost', 'pending') OR cause = 'no_checkpoint_data', chip_us, 0)) AS steps_us,
         sum(productive_us) AS productive_us, sum(allocated_us) - sum(untraced_us) AS traced_us
  FROM cells WHERE job IS NOT NULL GROUP BY job
)
SELECT job, model, size, input_us / 3.6e9 AS input_chip_hours, steps_us / 3.6e9 AS step_chip_hours,
       1.0 * input_us / (input_us + steps_us) AS share, 1.0 * productive_us / traced_us AS RG,
       1.0 * productive_us / nullif(traced_us - input_us, 0) AS RG_without
FROM sums
WHERE input_us > 0 AND 1.0 * input_us / (input_us + steps_us) >= coalesce(:share, 0.05)
ORDER BY input_us DESC, job;
