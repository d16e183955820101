-- heatmap.sql - goodput by two segments at once.
--
--@ argument rows :rows TEXT 'phase' (unless given), 'pool', 'chip', 'framework', 'runtime', 'model', 'size', 'team', 'owner', 'day'
--@ argument columns :columns TEXT 'size' (unless given), or another of them
--@ argument since :since TEXT first hour or day that counts; everything unless given
--@ argument until :until TEXT first hour or day that does not
--@ column row_segment TEXT -
--@ column column_segment TEXT -
--@ column held_chip_hours REAL chip-hours allocated + partial
--@ column SG REAL ratio allocated / held: the jobs' own basis
--@ column RG REAL ratio productive / (allocated - untraced)
--@ column PG REAL ratio ideal / (productive - unrated)
--@ column MPG REAL ratio ideal / held; NULL while anything is untraced or unrated
--@ column MPG_lower REAL ratio the same: untraced and unrated count as no ideal
--@ column lost_chip_hours REAL chip-hours held less ideal, and less what is untraced or unrated
-- Basis: what jobs held; what no job held is not here.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH parted AS (
  SELECT CASE coalesce(:rows, 'phase') WHEN 'phase' THEN phase WHEN 'pool' THEN pool WHEN 'chip' THEN chip WHEN 'framework' THEN framework
           WHEN 'runtime' THEN runtime WHEN 'model' THEN model WHEN 'size' THEN size WHEN 'team' THEN team WHEN 'owner' THEN owner
           WHEN 'day' THEN date(day) ELSE 'unknown :rows, ' || :rows END AS a,
         CASE coalesce(:columns, 'size') WHEN 'phase' THEN phase WHEN 'pool' THEN pool WHEN 'chip' THEN chip WHEN 'framework' THEN framework
           WHEN 'runtime' THEN runtime WHEN 'model' THEN model WHEN 'size' THEN size WHEN 'team' THEN team WHEN 'owner' THEN owner
           WHEN 'day' THEN date(day) ELSE 'unknown :columns, ' || :columns END AS b,
         sum(allocated_us) + sum(partial_us) AS held_us, sum(allocated_us) AS allocated_us,
         sum(allocated_us) - sum(untraced_us) AS traced_us,
         sum(productive_us) AS productive_us, sum(productive_us) - sum(unrated_us) AS rated_us, sum(ideal_us) AS ideal_us
  FROM cells
  WHERE job IS NOT NULL AND +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z')
    AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY 1, 2
)
SELECT a AS row_segment, b AS column_segment, held_us / 3.6e9 AS held_chip_hours, 1.0 * allocated_us / held_us AS SG,
       1.0 * productive_us / nullif(traced_us, 0) AS RG,
       1.0 * ideal_us / nullif(rated_us, 0) AS PG, 
       CASE WHEN allocated_us = traced_us AND productive_us = rated_us THEN 1.0 * ideal_us / held_us END AS MPG,
       1.0 * ideal_us / held_us AS MPG_lower,
       (held_us - ideal_us - (allocated_us - traced_us) - (productive_us - rated_us)) / 3.6e9 AS lost_chip_hours
FROM parted
WHERE held_us > 0
ORDER BY a, CASE b WHEN 'S' THEN 1 WHEN 'M' THEN 2 WHEN 'L' THEN 3 WHEN 'XL' THEN 4 ELSE 5 END, b;
