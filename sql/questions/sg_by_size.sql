-- sg_by_size.sql - scheduling goodput by job size on three bases.
--
--@ table mpg_sg_by_size - scheduling goodput by job size on three bases
--@ argument since :since TIME first hour or day that counts; everything unless given
--@ argument until :until TIME first hour or day that does not
--@ column size TEXT - S, M, L, XL
--@ column jobs BIGINT jobs that held or wanted chips
--@ column held_chip_hours REAL chip-hours allocated + partial
--@ column queued_chip_hours REAL chip-hours wanted and not held
--@ column own REAL ratio allocated / (allocated + partial): the jobs' own basis
--@ column demand REAL ratio allocated / (allocated + partial + queued): of what they asked for
--@ column contribution REAL ratio allocated / capacity of the fleet: the sizes add up to the fleet's SG
-- Basis: three, as the columns say.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH by_size AS (
  SELECT size, count(DISTINCT job) AS jobs, sum(allocated_us) AS allocated_us, sum(partial_us) AS partial_us,
         sum(queued_us) AS queued_us
  FROM cells
  WHERE job IS NOT NULL AND +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z')
    AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
  GROUP BY size
)
SELECT size, jobs, (allocated_us + partial_us) / 3.6e9 AS held_chip_hours, queued_us / 3.6e9 AS queued_chip_hours,
       1.0 * allocated_us / nullif(allocated_us + partial_us, 0) AS own,
       1.0 * allocated_us / nullif(allocated_us + partial_us + queued_us, 0) AS demand,
       1.0 * allocated_us / nullif((SELECT sum(capacity_us) FROM cells
                                    WHERE +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z')
                                      AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')), 0) AS contribution
FROM by_size
ORDER BY CASE size WHEN 'S' THEN 1 WHEN 'M' THEN 2 WHEN 'L' THEN 3 ELSE 4 END;
