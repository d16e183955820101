-- goodput.sql - MPG and its factors, now and by whatever you group by.
--
--@ table mpg_goodput - MPG and its factors, now and by whatever you group by
--@ argument by :by TEXT 'fleet' (unless given), 'hour', 'day', 'week', 'month', 'pool', 'chip', 'phase', 'framework', 'runtime', 'model', 'size', 'team', 'owner', 'priority', 'job'
--@ argument since :since TIME first hour or day that counts, '2026-01-05' or '2026-01-05 06:00:00'; everything unless given
--@ argument until :until TIME first hour or day that does not
--@ column segment TEXT - the group; NULL holds what no job held, where you group by a column of jobs
--@ column capacity_chip_hours REAL chip-hours capacity, of jobs what they held
--@ column SG REAL ratio allocated / capacity
--@ column RG REAL ratio productive / (allocated - untraced)
--@ column PG REAL ratio ideal / (productive - unrated)
--@ column MPG REAL ratio ideal / capacity; NULL while anything is untraced or unrated
--@ column MPG_lower REAL ratio the same, where untraced and unrated count as no ideal
--@ column traced REAL ratio share of the allocated time that is traced
--@ column rated REAL ratio share of the productive time that is rated
--@ column contribution REAL ratio ideal / capacity of the whole fleet: adds up to the fleet's MPG_lower
-- Basis: installed capacity for time, pool and chip; for columns of jobs what the jobs held (allocated + partial).
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH grouped AS (
  SELECT CASE coalesce(:by, 'fleet')
           WHEN 'hour' THEN hour WHEN 'day' THEN date(day) WHEN 'week' THEN week WHEN 'month' THEN month WHEN 'pool' THEN pool
           WHEN 'chip' THEN chip WHEN 'phase' THEN phase WHEN 'framework' THEN framework WHEN 'runtime' THEN runtime
           WHEN 'model' THEN model WHEN 'size' THEN size WHEN 'team' THEN team WHEN 'owner' THEN owner
           WHEN 'priority' THEN priority WHEN 'job' THEN job WHEN 'fleet' THEN 'fleet' ELSE 'unknown :by, ' || :by END AS segment,
         sum(capacity_us) AS capacity_us, sum(allocated_us) AS allocated_us, sum(untraced_us) AS untraced_us,
         sum(productive_us) AS productive_us, sum(unrated_us) AS unrated_us, sum(ideal_us) AS ideal_us
  FROM cells
  WHERE +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z') AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY 1
)
SELECT segment, capacity_us / 3.6e9 AS capacity_chip_hours,
       1.0 * allocated_us / nullif(capacity_us, 0) AS SG,
       1.0 * productive_us / nullif(allocated_us - untraced_us, 0) AS RG,
       1.0 * ideal_us / nullif(productive_us - unrated_us, 0) AS PG,
       CASE WHEN untraced_us = 0 AND unrated_us = 0 THEN 1.0 * ideal_us / nullif(capacity_us, 0) END AS MPG,
       1.0 * ideal_us / nullif(capacity_us, 0) AS MPG_lower,
       1.0 * (allocated_us - untraced_us) / nullif(allocated_us, 0) AS traced,
       1.0 * (productive_us - unrated_us) / nullif(productive_us, 0) AS rated,
       1.0 * ideal_us / nullif((SELECT sum(capacity_us) FROM grouped), 0) AS contribution
FROM grouped
WHERE capacity_us <> 0 OR allocated_us <> 0
ORDER BY segment;
