-- top_jobs.sql - the jobs that lost the most chip-hours, and to what.
--
--@ table mpg_top_jobs - the jobs that lost the most chip-hours, and to what
--@ argument top :top BIGINT from 0: how many; 10 unless given
--@ argument since :since TIME first hour or day that counts; everything unless given
--@ argument until :until TIME first hour or day that does not
--@ column job TEXT - its id
--@ column name TEXT -
--@ column team TEXT - of its labels
--@ column size TEXT - S, M, L or XL
--@ column held_chip_hours REAL chip-hours allocated + partial
--@ column lost_chip_hours REAL chip-hours held less ideal, and less what is untraced or unrated
--@ column scheduling REAL chip-hours of it: partial
--@ column runtime REAL chip-hours of it: startup to unknown
--@ column program REAL chip-hours of it: inefficiency
--@ column worst TEXT - the category, inefficiency apart, that took the most
-- Basis: what the job held; queued time is not lost chip-time.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH by_category AS (
  SELECT job, category, max(name) AS name, max(team) AS team, max(size) AS size, sum(chip_us) AS chip_us
  FROM ledger
  WHERE job IS NOT NULL AND category <> 'queued'
    AND +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z') AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY job, category
),
by_job AS (
  SELECT job, max(name) AS name, max(team) AS team, max(size) AS size, sum(chip_us) AS held_us,
         coalesce(sum(chip_us) FILTER (WHERE category NOT IN ('ideal', 'untraced', 'unrated')), 0) AS lost_us,
         coalesce(sum(chip_us) FILTER (WHERE category = 'partial'), 0) AS partial_us,
         coalesce(sum(chip_us) FILTER (WHERE category = 'inefficiency'), 0) AS inefficiency_us
  FROM by_category GROUP BY job
)
SELECT job, name, team, size, held_us / 3.6e9 AS held_chip_hours, lost_us / 3.6e9 AS lost_chip_hours,
       partial_us / 3.6e9 AS scheduling, (lost_us - partial_us - inefficiency_us) / 3.6e9 AS runtime,
       inefficiency_us / 3.6e9 AS program,
       (SELECT c.category FROM by_category AS c
        WHERE c.job = by_job.job AND c.category NOT IN ('ideal', 'untraced', 'unrated', 'inefficiency')
        ORDER BY c.chip_us DESC, c.category LIMIT 1) AS worst
FROM by_job
ORDER BY lost_us DESC, job
LIMIT coalesce(:top, 10);
