-- crash_loops.sql - jobs that failed again and again without getting anywhere, and what others lost by it.
--
--@ table mpg_crash_loops - jobs that failed again and again without getting anywhere, and what others lost by it
--@ argument least_attempts :attempts BIGINT from 1: failed attempts in a row, without a surviving step, that make a loop; 3 unless given
--@ column job TEXT -
--@ column attempts BIGINT attempts in the loop
--@ column first_us BIGINT us its first chip
--@ column last_us BIGINT us its last
--@ column held_chip_hours REAL chip-hours first order: what the loop held
--@ column blocked_chip_hours REAL chip-hours second order: at each moment the lesser of what it held and what others were waiting for in the same pool
--@ column blocked_jobs BIGINT jobs that were waiting meanwhile
-- Basis: attempts that ended failed or node_fail; those in a row are one loop. Of a job without runtime records no step is seen to survive:
-- look how long its attempts held chips.
WITH tried AS (
  SELECT *, coalesce(outcome IN ('failed', 'node_fail') AND productive_us = 0, 0) AS is_dud FROM attempts
),
numbered AS (
  SELECT *, row_number() OVER (PARTITION BY job ORDER BY attempt)
            - row_number() OVER (PARTITION BY job, is_dud ORDER BY attempt) AS streak
  FROM tried
),
loops AS (
  SELECT job, streak, count(*) AS attempts, min(start_us) AS first_us, max(end_us) AS last_us, sum(held_us) AS held_us
  FROM numbered WHERE is_dud GROUP BY job, streak HAVING count(*) >= coalesce(:attempts, 3)
),
-- Chips that an attempt of a loop held on average, and chips that others waited for, in millionths.
held AS (
  SELECT l.job, l.streak, n.pool, n.start_us, n.end_us, CAST(round(1e6 * n.held_us / (n.end_us - n.start_us)) AS INTEGER) AS chips
  FROM loops AS l JOIN numbered AS n ON n.job = l.job AND n.streak = l.streak AND n.is_dud
),
-- Who waited meanwhile is looked for hour by hour, and met in the hour in which both have begun.
held_hours AS (
  SELECT *, start_us / 3600000000 AS hour FROM held
  UNION ALL SELECT job, streak, pool, start_us, end_us, chips, hour + 1 FROM held_hours WHERE (hour + 1) * 3600000000 < end_us
),
waiting_hours AS (
  SELECT job, pool, start_us, end_us, CAST(round(1e6 * chip_us / (end_us - start_us)) AS INTEGER) AS wanted, start_us / 3600000000 AS hour
  FROM waits WHERE category = 'queued' AND pool IN (SELECT pool FROM held)
  UNION ALL SELECT job, pool, start_us, end_us, wanted, hour + 1 FROM waiting_hours WHERE (hour + 1) * 3600000000 < end_us
),
meanwhile AS (
  SELECT h.job, h.streak, h.start_us AS from_us, h.chips, w.job AS waiting, max(w.start_us, h.start_us) AS start_us,
         min(w.end_us, h.end_us) AS end_us, w.wanted
  FROM held_hours AS h JOIN waiting_hours AS w ON w.pool = h.pool AND w.hour = h.hour AND w.hour = max(w.start_us, h.start_us) / 3600000000
                                              AND w.job <> h.job AND w.start_us < h.end_us AND w.end_us > h.start_us
),
edges AS (
  SELECT job, streak, from_us, chips, start_us AS at_us, wanted FROM meanwhile
  UNION ALL SELECT job, streak, from_us, chips, end_us, -wanted FROM meanwhile
),
levels AS (
  SELECT job, streak, chips, at_us, lead(at_us) OVER (PARTITION BY job, streak, from_us ORDER BY at_us) AS until_us,
         sum(sum(wanted)) OVER (PARTITION BY job, streak, from_us ORDER BY at_us) AS wanted
  FROM edges GROUP BY job, streak, from_us, chips, at_us
)
SELECT l.job, l.attempts, l.first_us, l.last_us, l.held_us / 3.6e9 AS held_chip_hours,
       coalesce((SELECT sum(min(v.chips, v.wanted) / 1000000 * (v.until_us - v.at_us)
                            + min(v.chips, v.wanted) % 1000000 * (v.until_us - v.at_us) / 1000000)
                 FROM levels AS v
                 WHERE v.job = l.job AND v.streak = l.streak AND v.until_us IS NOT NULL), 0) / 3.6e9 AS blocked_chip_hours,
       (SELECT count(DISTINCT m.waiting) FROM meanwhile AS m WHERE m.job = l.job AND m.streak = l.streak) AS blocked_jobs
FROM loops AS l
ORDER BY l.held_us DESC, l.job;
