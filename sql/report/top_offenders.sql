-- top_offenders.sql - who lost the most chip-hours, and to what.
--
-- Inputs:
--   :by     'job' (unless given), 'model', 'team', 'owner', 'pool', 'phase', 'framework', 'runtime', 'size'
--   :top    how many; 10 unless given
--   :since  first hour or day that counts; everything unless given
--   :until  first hour or day that does not
-- Columns:
--   segment          text
--   name             text        of a job its name
--   held_chip_hours  chip-hours  allocated + partial
--   lost_chip_hours  chip-hours  held less ideal, and less what is untraced or unrated
--   scheduling       chip-hours  of it: partial
--   runtime          chip-hours  of it: startup to unknown
--   program          chip-hours  of it: inefficiency
--   MPG_lower        ratio       ideal / held
-- Basis: what jobs held.
WITH sums AS (
  SELECT CASE coalesce(:by, 'job') WHEN 'job' THEN job WHEN 'model' THEN model WHEN 'team' THEN team WHEN 'owner' THEN owner WHEN 'pool' THEN pool
           WHEN 'phase' THEN phase WHEN 'framework' THEN framework WHEN 'runtime' THEN runtime WHEN 'size' THEN size ELSE 'unknown :by, ' || :by END AS segment,
         iif(coalesce(:by, 'job') = 'job', max(name), NULL) AS name,
         sum(allocated_us) + sum(partial_us) AS held_us, sum(partial_us) AS partial_us, sum(ideal_us) AS ideal_us,
         sum(untraced_us) + sum(unrated_us) AS nobody_knows_us, sum(iif(category = 'inefficiency', chip_us, 0)) AS inefficiency_us
  FROM cells
  WHERE job IS NOT NULL AND hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z') AND hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY 1
)
SELECT segment, name, held_us / 3.6e9 AS held_chip_hours, (held_us - ideal_us - nobody_knows_us) / 3.6e9 AS lost_chip_hours,
       partial_us / 3.6e9 AS scheduling, (held_us - ideal_us - nobody_knows_us - partial_us - inefficiency_us) / 3.6e9 AS runtime,
       inefficiency_us / 3.6e9 AS program, 1.0 * ideal_us / held_us AS MPG_lower
FROM sums
WHERE held_us > 0
ORDER BY held_us - ideal_us - nobody_knows_us DESC, segment
LIMIT coalesce(:top, 10);
