-- checkpoint_blocking.sql - the share of time that jobs are blocked on saving checkpoints, and what asynchronous saves would gain.
--
--@ table mpg_checkpoint_blocking - the share of time that jobs are blocked on saving checkpoints, and what asynchronous saves would gain
--@ argument by :by TEXT 'phase' (unless given), 'fleet', 'pool', 'size', 'framework', 'runtime', 'model', 'team', 'job'
--@ column segment TEXT - the group
--@ column blocked_chip_hours REAL chip-hours category checkpoint
--@ column share REAL ratio of the traced allocated time
--@ column RG REAL ratio as it is
--@ column RG_async REAL ratio if no save blocked: the same work in less time
--@ column gain REAL points percentage points of RG
--@ column ideal_chip_hours REAL chip-hours that the freed time would add, at that RG and today's PG
-- Basis: allocated - untraced. It is a bound: an asynchronous save still blocks for its snapshot (what_if.sql takes its length).
WITH sums AS (
  SELECT CASE coalesce(:by, 'phase') WHEN 'phase' THEN phase WHEN 'pool' THEN pool WHEN 'size' THEN size WHEN 'framework' THEN framework
           WHEN 'runtime' THEN runtime WHEN 'model' THEN model WHEN 'team' THEN team WHEN 'job' THEN job
           WHEN 'fleet' THEN 'fleet' ELSE 'unknown :by, ' || :by END AS segment,
         coalesce(sum(chip_us) FILTER (WHERE category = 'checkpoint'), 0) AS blocked_us,
         sum(allocated_us) - sum(untraced_us) AS traced_us, sum(productive_us) AS productive_us, sum(unrated_us) AS unrated_us,
         sum(ideal_us) AS ideal_us
  FROM cells WHERE job IS NOT NULL GROUP BY 1
),
gained AS (
  SELECT *, 1.0 * productive_us / nullif(traced_us - blocked_us, 0) AS RG_async FROM sums
)
SELECT segment, blocked_us / 3.6e9 AS blocked_chip_hours, 1.0 * blocked_us / nullif(traced_us, 0) AS share,
       1.0 * productive_us / nullif(traced_us, 0) AS RG, RG_async, 100 * (RG_async - 1.0 * productive_us / nullif(traced_us, 0)) AS gain,
       blocked_us * RG_async * ideal_us / nullif(productive_us - unrated_us, 0) / 3.6e9 AS ideal_chip_hours
FROM gained
WHERE traced_us > 0
ORDER BY blocked_us DESC, segment;
