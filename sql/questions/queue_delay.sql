-- queue_delay.sql - how long jobs wait for their first chip, against scheduling goodput.
--
--@ table mpg_queue_delay - how long jobs wait for their first chip, against scheduling goodput
--@ argument by :by TEXT 'pool' (unless given), 'size', 'day', 'priority', 'fleet'
--@ column segment TEXT - the group; of 'pool' the one of the first chip, and none for what never got one; of 'day' that of the submission (UTC)
--@ column jobs BIGINT jobs that were submitted and got a chip
--@ column p50_s REAL seconds median wait from the submission to the first chip (nearest rank)
--@ column p90_s REAL seconds
--@ column max_s REAL seconds
--@ column queued_chip_hours REAL chip-hours wanted and not held, also of jobs that never got a chip
--@ column SG REAL ratio of the group, as in goodput.sql
--@ column occupancy REAL ratio held / capacity
-- Basis: SG and occupancy on installed capacity for pool and day, on what jobs held for size and priority.
WITH clocks AS (SELECT coalesce(max(ahead_s), 0) AS ahead_s
                FROM (SELECT CAST(strftime('%s', hour) AS INTEGER) - time AS ahead_s FROM ledger LIMIT 1)),
first AS (
  SELECT job, pool, size, min(start_us) AS start_us FROM attempts GROUP BY job
),
delays AS (
  SELECT CASE coalesce(:by, 'pool') WHEN 'pool' THEN f.pool WHEN 'size' THEN f.size
              WHEN 'day' THEN date(j.submit_us / 1000000 + ahead_s, 'unixepoch')
           WHEN 'priority' THEN j.priority WHEN 'fleet' THEN 'fleet' ELSE 'unknown :by, ' || :by END AS segment,
         max(f.start_us - j.submit_us, 0) AS wait_us
  FROM clocks, first AS f JOIN jobs AS j ON j.job = f.job
  WHERE j.submit_us IS NOT NULL
),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY segment ORDER BY wait_us) AS place, count(*) OVER (PARTITION BY segment) AS n FROM delays
),
waits_by AS (
  SELECT segment, count(*) AS jobs, min(wait_us) FILTER (WHERE place * 100 >= n * 50) AS p50,
         min(wait_us) FILTER (WHERE place * 100 >= n * 90) AS p90,
         max(wait_us) AS most
  FROM placed GROUP BY segment
),
sums AS (
  SELECT CASE coalesce(:by, 'pool') WHEN 'pool' THEN pool WHEN 'size' THEN size WHEN 'day' THEN date(day) WHEN 'priority' THEN priority
           WHEN 'fleet' THEN 'fleet' ELSE 'unknown :by, ' || :by END AS segment,
         sum(capacity_us) AS capacity_us, sum(allocated_us) AS allocated_us, sum(partial_us) AS partial_us, sum(queued_us) AS queued_us
  FROM cells WHERE job IS NOT NULL OR coalesce(:by, 'pool') NOT IN ('size', 'priority') GROUP BY 1
),
segments AS (SELECT segment FROM sums UNION SELECT segment FROM waits_by)
SELECT g.segment, coalesce(w.jobs, 0) AS jobs, w.p50 / 1e6 AS p50_s, w.p90 / 1e6 AS p90_s, w.most / 1e6 AS max_s,
       s.queued_us / 3.6e9 AS queued_chip_hours,
       1.0 * s.allocated_us / nullif(s.capacity_us, 0) AS SG, 1.0 * (s.allocated_us + s.partial_us) / nullif(s.capacity_us, 0) AS occupancy
FROM segments AS g LEFT JOIN sums AS s ON s.segment IS g.segment LEFT JOIN waits_by AS w ON w.segment IS g.segment
ORDER BY g.segment;
