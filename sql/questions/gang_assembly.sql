-- gang_assembly.sql - chip-hours in incomplete gangs, and how long gangs take to assemble, by job size.
--
--@ table mpg_gang_assembly - chip-hours in incomplete gangs, and how long gangs take to assemble, by job size
--@ column size TEXT - S, M, L, XL
--@ column attempts BIGINT attempts that held chips
--@ column never_ready BIGINT attempts of them: whose gang never was complete
--@ column incomplete_chip_hours REAL chip-hours held while the gang was not complete, at the start or later
--@ column surplus_chip_hours REAL chip-hours held beyond what the job needs
--@ column share REAL ratio incomplete / held
--@ column p50_s REAL seconds median time from the first chip to the complete gang, of attempts that got there
--@ column p90_s REAL seconds (nearest rank, as the others)
--@ column p99_s REAL seconds
--@ column max_s REAL seconds
-- Basis: what jobs held. Time in the queue before the first chip is not in it.
WITH ready AS (
  SELECT size, ready_us - start_us AS took_us, row_number() OVER (PARTITION BY size ORDER BY ready_us - start_us) AS place,
         count(*) OVER (PARTITION BY size) AS n
  FROM attempts WHERE ready_us IS NOT NULL
),
percentiles AS (
  SELECT size, min(took_us) FILTER (WHERE place * 100 >= n * 50) AS p50, min(took_us) FILTER (WHERE place * 100 >= n * 90) AS p90,
         min(took_us) FILTER (WHERE place * 100 >= n * 99) AS p99, max(took_us) AS most
  FROM ready GROUP BY size
),
held AS (
  SELECT size, count(*) AS attempts, sum(ready_us IS NULL) AS never_ready, sum(held_us) AS held_us FROM attempts GROUP BY size
),
waited AS (
  SELECT size, coalesce(sum(chip_us) FILTER (WHERE cause IS NULL), 0) AS incomplete_us,
         coalesce(sum(chip_us) FILTER (WHERE cause IS NOT NULL), 0) AS surplus_us
  FROM waits WHERE category = 'partial' GROUP BY size
)
SELECT h.size, h.attempts, h.never_ready, coalesce(w.incomplete_us, 0) / 3.6e9 AS incomplete_chip_hours,
       coalesce(w.surplus_us, 0) / 3.6e9 AS surplus_chip_hours, 1.0 * coalesce(w.incomplete_us, 0) / nullif(h.held_us, 0) AS share,
       p.p50 / 1e6 AS p50_s, p.p90 / 1e6 AS p90_s, p.p99 / 1e6 AS p99_s, p.most / 1e6 AS max_s
FROM held AS h LEFT JOIN waited AS w ON w.size = h.size LEFT JOIN percentiles AS p ON p.size = h.size
ORDER BY CASE h.size WHEN 'S' THEN 1 WHEN 'M' THEN 2 WHEN 'L' THEN 3 ELSE 4 END;
