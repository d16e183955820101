-- checkpoint_interval.sql - lost work per interruption against the checkpoint interval, and the interval that Young and Daly recommend.
--
--@ table mpg_checkpoint_interval - lost work per interruption against the checkpoint interval, and the interval that Young and Daly recommend
--@ column job TEXT -
--@ column size TEXT - S, M, L, XL
--@ column interruptions BIGINT interruptions failed, node_fail, preempted, timeout or gang_broken
--@ column lost_chip_hours REAL chip-hours executed steps that did not survive
--@ column lost_s REAL seconds of the whole gang, per interruption
--@ column interval_s REAL seconds from one durable checkpoint to the next of the same run, on average; NULL below two
--@ column save_s REAL seconds a save blocks the job for, on average
--@ column mtti_s REAL seconds mean time of a complete gang between interruptions of jobs of this size
--@ column young_s REAL seconds sqrt(2 x save x MTTI): Young's interval (1974)
--@ column daly_s REAL seconds Daly's (2006), its second order, or MTTI where save >= 2 x MTTI
--@ column expected_lost_s REAL seconds half the interval: what an interruption loses where checkpoints are regular
-- Basis: jobs that were interrupted. The time between interruptions is that of the size, since one job seldom has enough of them.
-- Needs: sqrt, one of SQLite's mathematical functions.
WITH ended AS (
  SELECT r.job, a.size, r.end_us - r.start_us AS run_us, r.held_us, r.lost_us,
         coalesce(r.outcome IN ('failed', 'node_fail', 'preempted', 'timeout', 'gang_broken'), 0) AS interrupted
  FROM runs AS r JOIN attempts AS a ON a.job = r.job AND a.attempt = r.attempt
),
sizes AS (SELECT size, 1.0 * sum(run_us) / nullif(sum(interrupted), 0) AS mtti_us FROM ended GROUP BY size),
marked AS ( -- a commit is of the last run that had begun: a repair between two is no part of an interval
  SELECT job, durable_us AS at_us, durable_us FROM commits WHERE durable_us IS NOT NULL
  UNION ALL
  SELECT job, start_us, NULL FROM runs
),
gaps AS (SELECT job, durable_us - lag(durable_us) OVER (PARTITION BY job ORDER BY at_us, durable_us IS NOT NULL) AS gap_us FROM marked),
intervals AS (SELECT job, 1.0 * sum(gap_us) / count(gap_us) AS interval_us FROM gaps WHERE gap_us > 0 GROUP BY job),
saves AS (
  SELECT job, 1.0 * sum(end_us - start_us) / count(*) AS save_us FROM spans
  WHERE kind = 'checkpoint' AND end_us IS NOT NULL GROUP BY job
),
jobs_hit AS (
  SELECT job, max(size) AS size, sum(interrupted) AS interruptions, sum(lost_us) AS lost_us, sum(run_us) AS run_us, sum(held_us) AS held_us
  FROM ended GROUP BY job HAVING sum(interrupted) > 0
)
SELECT h.job, h.size, h.interruptions, h.lost_us / 3.6e9 AS lost_chip_hours,
       1.0 * h.lost_us / (1.0 * h.held_us / h.run_us) / h.interruptions / 1e6 AS lost_s,
       i.interval_us / 1e6 AS interval_s, s.save_us / 1e6 AS save_s, z.mtti_us / 1e6 AS mtti_s,
       sqrt(2 * s.save_us * z.mtti_us) / 1e6 AS young_s,
       CASE WHEN s.save_us >= 2 * z.mtti_us THEN z.mtti_us
            ELSE sqrt(2 * s.save_us * z.mtti_us) * (1 + sqrt(s.save_us / (2 * z.mtti_us)) / 3 + s.save_us / (2 * z.mtti_us) / 9) - s.save_us
       END / 1e6 AS daly_s,
       i.interval_us / 2e6 AS expected_lost_s
FROM jobs_hit AS h JOIN sizes AS z ON z.size = h.size LEFT JOIN intervals AS i ON i.job = h.job LEFT JOIN saves AS s ON s.job = h.job
ORDER BY h.lost_us DESC, h.job;
