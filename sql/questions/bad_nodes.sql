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
-- Basis: chip-time held, by nodes of the same pool. Where tasks are numbers within a gang and not hosts, this compares places in gangs.
WITH ends AS (SELECT max(end_us) AS last_us FROM (SELECT end_us FROM waits UNION ALL SELECT end_us FROM attempts)),
nodes AS (
  SELECT pool, task AS node, sum(coalesce(outcome = 'node_fail', 0)) AS failures,
         sum(CAST(round(chips * 1e6) AS INTEGER) / 1000000 * (coalesce(end_us, last_us) - start_us)
             + CAST(round(chips * 1e6) AS INTEGER) % 1000000 * (coalesce(end_us, last_us) - start_us) / 1000000) AS held_us
  FROM allocations, ends WHERE task IS NOT NULL GROUP BY pool, task
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
