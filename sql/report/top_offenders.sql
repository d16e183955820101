-- top_offenders.sql - who lost the most chip-hours, and to what.
--
--@ argument by :by TEXT 'job' (unless given), 'model', 'team', 'owner', 'pool', 'phase', 'framework', 'runtime', 'size'
--@ argument top :top BIGINT how many; 10 unless given
--@ argument since :since TEXT first hour or day that counts; everything unless given
--@ argument until :until TEXT first hour or day that does not
--@ column segment TEXT -
--@ column name TEXT - of a job its name
--@ column held_chip_hours REAL chip-hours allocated + partial
--@ column lost_chip_hours REAL chip-hours held less ideal, and less what is untraced or unrated
--@ column scheduling REAL chip-hours of it: partial
--@ column runtime REAL chip-hours of it: startup to unknown
--@ column program REAL chip-hours of it: inefficiency
--@ column MPG REAL ratio ideal / held; NULL while anything is untraced or unrated
--@ column MPG_lower REAL ratio the same: untraced and unrated count as no ideal
-- Basis: what jobs held.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH sums AS (
  SELECT CASE coalesce(:by, 'job') WHEN 'job' THEN job WHEN 'model' THEN model WHEN 'team' THEN team WHEN 'owner' THEN owner
              WHEN 'pool' THEN pool
           WHEN 'phase' THEN phase WHEN 'framework' THEN framework WHEN 'runtime' THEN runtime WHEN 'size' THEN size
              ELSE 'unknown :by, ' || :by END AS segment,
         iif(coalesce(:by, 'job') = 'job', max(name), NULL) AS name,
         sum(allocated_us) + sum(partial_us) AS held_us, sum(partial_us) AS partial_us, sum(ideal_us) AS ideal_us,
         sum(untraced_us) + sum(unrated_us) AS nobody_knows_us, sum(iif(category = 'inefficiency', chip_us, 0)) AS inefficiency_us
  FROM cells
  WHERE job IS NOT NULL AND +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z')
    AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY 1
)
SELECT segment, name, held_us / 3.6e9 AS held_chip_hours, (held_us - ideal_us - nobody_knows_us) / 3.6e9 AS lost_chip_hours,
       partial_us / 3.6e9 AS scheduling, (held_us - ideal_us - nobody_knows_us - partial_us - inefficiency_us) / 3.6e9 AS runtime,
       inefficiency_us / 3.6e9 AS program, iif(nobody_knows_us = 0, 1.0 * ideal_us / held_us, NULL) AS MPG,
       1.0 * ideal_us / held_us AS MPG_lower
FROM sums
WHERE held_us > 0
ORDER BY held_us - ideal_us - nobody_knows_us DESC, segment
LIMIT coalesce(:top, 10);
