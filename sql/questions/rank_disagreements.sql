-- rank_disagreements.sql - MFU, ETTR, occupancy and duty cycle beside MPG, and the jobs on which their rankings disagree.
--
--@ table mpg_rank_disagreements - MFU, ETTR, occupancy and duty cycle beside MPG, and the jobs on which their rankings disagree
--@ argument top :top BIGINT from 0: how many jobs, those that disagree most first; 10 unless given
--@ column job TEXT -
--@ column size TEXT - S, M, L, XL
--@ column MPG REAL ratio ideal / held
--@ column MFU REAL ratio ideal / allocated
--@ column ETTR REAL ratio productive / (allocated + partial + queued)
--@ column occupancy REAL ratio held / (held + queued): a job holds all of the chips that it holds, so what it asked for is the basis
--@ column duty_cycle REAL ratio time that a program's steps ran, whatever became of them, / held
--@ column rank_MPG BIGINT rank 1 is best, of all jobs listed; ties share the first rank
--@ column rank_MFU BIGINT rank
--@ column rank_ETTR BIGINT rank
--@ column rank_occupancy BIGINT rank
--@ column rank_duty BIGINT rank
--@ column disagreement BIGINT ranks the largest distance of another rank from that by MPG
-- Basis: jobs that are traced and rated throughout; on the jobs' own basis.
WITH sums AS (
  SELECT job, max(size) AS size, sum(allocated_us) + sum(partial_us) AS held_us, sum(allocated_us) AS allocated_us,
         sum(queued_us) AS queued_us, sum(productive_us) AS productive_us, sum(ideal_us) AS ideal_us,
         sum(productive_us) + sum(iif(category IN ('lost', 'pending') OR cause = 'no_checkpoint_data', chip_us, 0)) AS busy_us
  FROM cells WHERE job IS NOT NULL GROUP BY job
  HAVING sum(allocated_us) > 0 AND sum(untraced_us) = 0 AND sum(unrated_us) = 0
),
ratios AS (
  SELECT job, size, 1.0 * ideal_us / held_us AS MPG, 1.0 * ideal_us / allocated_us AS MFU,
         1.0 * productive_us / (held_us + queued_us) AS ETTR,
         1.0 * held_us / (held_us + queued_us) AS occupancy, 1.0 * busy_us / held_us AS duty_cycle
  FROM sums
),
ranked AS (
  SELECT *, rank() OVER (ORDER BY MPG DESC) AS rank_MPG, rank() OVER (ORDER BY MFU DESC) AS rank_MFU,
         rank() OVER (ORDER BY ETTR DESC) AS rank_ETTR,
         rank() OVER (ORDER BY occupancy DESC) AS rank_occupancy, rank() OVER (ORDER BY duty_cycle DESC) AS rank_duty
  FROM ratios
)
SELECT *, max(abs(rank_MFU - rank_MPG), abs(rank_ETTR - rank_MPG), abs(rank_occupancy - rank_MPG),
              abs(rank_duty - rank_MPG)) AS disagreement
FROM ranked
ORDER BY disagreement DESC, job
LIMIT coalesce(:top, 10);
