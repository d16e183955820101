-- bad_nodes.sql - nodes that end allocations by failing more often than their peers.
--
--@ table mpg_bad_nodes - nodes that end allocations by failing more often than their peers
--@ argument least :least BIGINT from 1: failures from which a node is listed; 2 unless given
--@ argument times :times REAL above 0: the rate of its peers from which it is; 2 unless given
--@ column pool TEXT -
--@ column node TEXT - allocations.task, where that names the host
--@ column failures BIGINT allocations that ended in node_fail
--@ column held_chip_hours REAL chip-hours allocated on it
--@ column rate REAL per_1000_chip-hours
--@ column peers_rate REAL per_1000_chip-hours of all other nodes of the pool
--@ column expected REAL allocations failures that it would have had at its peers' rate
--@ column ratio REAL ratio failures / expected; NULL where its peers never failed
-- Basis: chip-time held, by nodes of the same pool: tasks that are hosts, of records of your own.
-- Where tasks are numbers within a gang or pods, this compares places in gangs; what a mapping of Slurm or PBS makes has no tasks.
-- What is open is held as long as its pool, or its job, is observed.
WITH ends AS (SELECT max(end_us) AS last_us FROM (SELECT end_us FROM waits UNION ALL SELECT end_us FROM attempts)),
seen AS (SELECT pool, job, max(until_us) AS until_us FROM observed GROUP BY pool, job),
held AS (
  SELECT a.pool, a.task, a.outcome, CAST(round(a.chips * 1e6) AS INTEGER) AS chips,
         coalesce(a.end_us, max(a.start_us, min(e.last_us, coalesce(p.until_us, n.until_us, e.last_us), coalesce(j.until_us, e.last_us))))
           - a.start_us AS length_us
  FROM allocations AS a CROSS JOIN ends AS e LEFT JOIN seen AS p ON p.pool = a.pool AND p.job IS NULL
  LEFT JOIN seen AS n ON n.pool IS NULL AND n.job IS NULL
  LEFT JOIN (SELECT job, max(until_us) AS until_us FROM seen WHERE job IS NOT NULL GROUP BY job) AS j ON j.job = a.job
  WHERE a.task IS NOT NULL
),
nodes AS (
  SELECT pool, task AS node, sum(coalesce(outcome = 'node_fail', 0)) AS failures,
         sum(chips / 1000000 * length_us + chips % 1000000 * length_us / 1000000) AS held_us
  FROM held GROUP BY pool, task
),
peers AS (
  SELECT *, sum(failures) OVER (PARTITION BY pool) - failures AS others_failures,
         sum(held_us) OVER (PARTITION BY pool) - held_us AS others_us
  FROM nodes
)
SELECT pool, node, failures, held_us / 3.6e9 AS held_chip_hours, failures / (held_us / 3.6e12) AS rate,
       others_failures / nullif(others_us / 3.6e12, 0) AS peers_rate, 1.0 * others_failures * held_us / nullif(others_us, 0) AS expected,
       1.0 * failures / nullif(1.0 * others_failures * held_us / nullif(others_us, 0), 0) AS ratio
FROM peers
WHERE held_us > 0 AND failures >= coalesce(:least, 2)
  AND (others_failures = 0 OR 1.0 * failures * others_us >= coalesce(:times, 2) * others_failures * held_us)
ORDER BY failures - coalesce(1.0 * others_failures * held_us / nullif(others_us, 0), 0) DESC, pool, node;
