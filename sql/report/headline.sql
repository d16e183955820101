-- headline.sql - MPG with its three factors, and how large the fleet is.
--
--@ argument since :since TEXT first hour or day that counts; everything unless given
--@ argument until :until TEXT first hour or day that does not
--@ column first_hour TEXT - of the ledger
--@ column last_hour TEXT -
--@ column hours REAL hours
--@ column pools BIGINT pools
--@ column jobs BIGINT jobs that held or wanted chips
--@ column chips REAL chips capacity on average over the ledger; between :since and :until over the hours that have any
--@ column capacity_chip_hours REAL chip-hours
--@ column ideal_chip_hours REAL chip-hours
--@ column queued_chip_hours REAL chip-hours wanted and not held
--@ column SG REAL ratio allocated / capacity
--@ column RG REAL ratio productive / (allocated - untraced)
--@ column PG REAL ratio ideal / (productive - unrated)
--@ column MPG REAL ratio ideal / capacity; NULL while anything is untraced or unrated
--@ column MPG_lower REAL ratio the same, where untraced and unrated count as no ideal
--@ column traced REAL ratio share of the allocated time that is traced
--@ column rated REAL ratio share of the productive time that is rated
-- Basis: installed capacity.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
WITH ledger_time AS ( -- what waits does not list of the capacity, attempts held
  SELECT max(end_us) - min(start_us) AS length_us
  FROM (SELECT start_us, end_us FROM waits WHERE category <> 'queued' UNION ALL SELECT start_us, end_us FROM attempts)
),
sums AS (
  SELECT min(hour) AS first_hour, max(hour) AS last_hour, count(DISTINCT hour) AS hours, count(DISTINCT pool) AS pools,
         count(DISTINCT job) AS jobs,
         count(DISTINCT iif(category <> 'queued', hour, NULL)) * 3600000000 AS hours_us,
         sum(capacity_us) AS c, sum(allocated_us) AS a, sum(untraced_us) AS u, sum(productive_us) AS g, sum(unrated_us) AS r,
         sum(ideal_us) AS i,
         sum(queued_us) AS q
  FROM cells
  WHERE +hour >= rtrim(replace(coalesce(:since, ''), 'T', ' '), 'Z') AND +hour < rtrim(replace(coalesce(:until, '~'), 'T', ' '), 'Z')
)
SELECT first_hour, last_hour, hours, pools, jobs, 1.0 * c / min(hours_us, length_us) AS chips, c / 3.6e9 AS capacity_chip_hours,
       i / 3.6e9 AS ideal_chip_hours,
       q / 3.6e9 AS queued_chip_hours, 1.0 * a / nullif(c, 0) AS SG, 1.0 * g / nullif(a - u, 0) AS RG, 1.0 * i / nullif(g - r, 0) AS PG,
       CASE WHEN u = 0 AND r = 0 THEN 1.0 * i / nullif(c, 0) END AS MPG, 1.0 * i / nullif(c, 0) AS MPG_lower,
       1.0 * (a - u) / nullif(a, 0) AS traced, 1.0 * (g - r) / nullif(g, 0) AS rated
FROM sums, ledger_time
WHERE c IS NOT NULL;
