-- preemptions.sql - who was preempted for whom, by size, and the work that it destroyed.
--
--@ table mpg_preemptions - who was preempted for whom, by size, and the work that it destroyed
--@ argument within :within REAL from 0: seconds after a preemption in which the job that it was for takes its first chip; 60 unless given
--@ column victim_size TEXT - size of the preempted job
--@ column beneficiary_size TEXT - size of the job that came instead; NULL where none is seen
--@ column preemptions BIGINT preemptions
--@ column victims BIGINT jobs
--@ column destroyed_chip_hours REAL chip-hours executed steps of the preempted attempts that did not survive
--@ column per_preemption REAL chip-hours destroyed / preemptions
--@ column freed_chips REAL chips that the victims needed
-- Basis: attempts whose outcome is preempted. Records do not say for whom: of the jobs of a higher priority whose attempt takes its first
-- chips in the same pool, at the preemption or soon after it, it is the one of the highest. Priorities are compared as numbers: names, such
-- as Slurm's QOS, have no order, and no beneficiary is seen.
WITH victims AS (
  SELECT a.job, a.attempt, a.pool, a.size, a.chips, a.end_us, a.lost_us, CAST(j.priority AS INTEGER) AS priority
  FROM attempts AS a LEFT JOIN jobs AS j ON j.job = a.job WHERE a.outcome = 'preempted'
),
-- The first chips that each attempt of a job took in a pool.
starts AS (SELECT job, attempt, pool, size, start_us FROM attempts),
matched AS (
  SELECT v.*, (SELECT b.job FROM starts AS b JOIN jobs AS bj ON bj.job = b.job
               WHERE b.pool = v.pool AND b.job <> v.job AND b.start_us >= v.end_us
                 AND b.start_us <= v.end_us + coalesce(:within, 60) * 1000000 AND CAST(bj.priority AS INTEGER) > v.priority
               ORDER BY CAST(bj.priority AS INTEGER) DESC, b.start_us, b.job LIMIT 1) AS beneficiary
  FROM victims AS v
)
SELECT m.size AS victim_size, (SELECT max(a.size) FROM attempts AS a WHERE a.job = m.beneficiary) AS beneficiary_size,
       count(*) AS preemptions, count(DISTINCT m.job) AS victims, sum(m.lost_us) / 3.6e9 AS destroyed_chip_hours,
       sum(m.lost_us) / 3.6e9 / count(*) AS per_preemption, sum(CAST(round(m.chips * 1e6) AS INTEGER)) / 1e6 AS freed_chips
FROM matched AS m
GROUP BY 1, 2
ORDER BY 1, 2;
