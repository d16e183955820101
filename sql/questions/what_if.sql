-- what_if.sql - what asynchronous saves, another checkpoint interval, a compilation cache or spare chips would change.
--
--@ table mpg_what_if - what asynchronous saves, another checkpoint interval, a compilation cache or spare chips would change
--@ argument by :by TEXT 'pool' (unless given), 'fleet', 'phase', 'framework', 'model', 'size', 'job'
--@ argument snapshot_s :snapshot REAL from 0: seconds that an asynchronous save still blocks; 0 unless given
--@ argument interval_s :interval REAL above 0: seconds from one checkpoint to the next; Daly's unless given
--@ argument cached :cached REAL from 0 to 1: share of a repeated compilation that a cache spares; 1 unless given
--@ argument spare_chips :spares REAL from 0: chips that each pool keeps free; the most that its gangs missed at once unless given
--@ column segment TEXT - the group
--@ column change TEXT - 'asynchronous saves', 'checkpoint interval', 'compilation cache', 'spare chips'
--@ column assumed REAL value what the argument of the change says, or what stands in for it
--@ column SG REAL ratio as it is
--@ column RG REAL ratio as it is
--@ column SG_then REAL ratio with the change
--@ column RG_then REAL ratio with the change: the same work in less time
--@ column gain REAL points percentage points of MPG_lower, at the PG of today and where freed chips find work
-- Basis: allocated - untraced for RG; for SG installed capacity, by columns of jobs what these held. With a longer interval there are
-- fewer saves, and jobs are blocked less; in the same ratio they lose more steps, and the input that these waited for. Spare chips are
-- asked of pools alone. While a gang that had been complete misses chips, spare ones take their place; spare chips that replace none are
-- idle, at most all that jobs hold. A job of several pools counts with each. Needs: sqrt, one of SQLite's mathematical
-- functions.
WITH segments AS (
  SELECT DISTINCT job, CASE coalesce(:by, 'pool') WHEN 'pool' THEN pool WHEN 'fleet' THEN 'fleet' WHEN 'phase' THEN phase
                         WHEN 'framework' THEN framework WHEN 'model' THEN model WHEN 'size' THEN size WHEN 'job' THEN job
                         ELSE 'unknown :by, ' || :by END AS segment
  FROM cells WHERE job IS NOT NULL AND category <> 'queued'
),
-- A compilation in an attempt after the first that compiled is a repeated one.
compiled AS (SELECT job, min(attempt) AS attempt FROM ledger WHERE category = 'compile' GROUP BY job),
sums AS (
  SELECT CASE coalesce(:by, 'pool') WHEN 'pool' THEN pool WHEN 'fleet' THEN 'fleet' WHEN 'phase' THEN phase WHEN 'framework' THEN framework
           WHEN 'model' THEN model WHEN 'size' THEN size WHEN 'job' THEN job ELSE 'unknown :by, ' || :by END AS segment,
         sum(capacity_us) AS c, sum(allocated_us) AS a, sum(allocated_us - untraced_us) AS t, sum(productive_us) AS g, sum(ideal_us) AS i,
         sum(iif(category = 'checkpoint', chip_us, 0)) AS blocked, sum(iif(category = 'lost', chip_us, 0)) AS lost,
         sum(iif(category = 'input', chip_us, 0)) AS input,
         sum(productive_us) + sum(iif(category IN ('lost', 'pending'), chip_us, 0)) AS steps,
         sum(iif(category = 'down', chip_us, 0)) AS down,
         sum(iif(category = 'compile' AND cells.attempt > compiled.attempt, chip_us, 0)) AS repeated
  FROM cells LEFT JOIN compiled USING (job)
  WHERE cells.job IS NOT NULL OR coalesce(:by, 'pool') IN ('pool', 'fleet')
  GROUP BY 1
),
-- Intervals, saves and interruptions, as in checkpoint_interval.sql.
marked AS (
  SELECT job, durable_us AS at_us, durable_us FROM commits WHERE durable_us IS NOT NULL
  UNION ALL
  SELECT job, start_us, NULL FROM runs
),
gaps AS (SELECT job, durable_us - lag(durable_us) OVER (PARTITION BY job ORDER BY at_us, durable_us IS NOT NULL) AS gap_us FROM marked),
intervals AS (SELECT segment, 1e-6 * sum(gap_us) / count(*) AS interval_s
              FROM gaps JOIN segments USING (job) WHERE gap_us > 0 GROUP BY segment),
saves AS (
  SELECT segment, 1e-6 * sum(end_us - start_us) / count(*) AS save_s FROM spans JOIN segments USING (job)
  WHERE kind = 'checkpoint' AND end_us IS NOT NULL GROUP BY segment
),
mtti AS (
  SELECT segment, 1e-6 * sum(end_us - start_us)
    / nullif(sum(coalesce(outcome IN ('failed', 'node_fail', 'preempted', 'timeout', 'gang_broken'), 0)), 0) AS mtti_s
  FROM runs JOIN segments USING (job) GROUP BY segment
),
-- Gangs that had been complete and miss chips: what they still have, and what they had. A gang of several pools had, of each, what it
-- held there when it became complete (had is NULL for a gang of one pool: all its chips).
held AS (
  SELECT w.pool, w.chip_us, w.start_us, w.end_us, x.chips, 1.0 * w.chip_us / (w.end_us - w.start_us) AS has,
         (SELECT CASE WHEN min(a.pool) <> max(a.pool)
                      THEN coalesce(sum(a.chips) FILTER (
                                                         WHERE a.pool = w.pool AND a.start_us <= x.ready_us
                                                         AND coalesce(a.end_us > x.ready_us, 1)), 0) END
          FROM allocations AS a WHERE a.job = w.job AND coalesce(a.attempt = w.attempt, 1)) AS had
  FROM waits AS w JOIN attempts AS x ON x.job = w.job AND x.attempt = w.attempt
  WHERE coalesce(:by, 'pool') = 'pool' AND w.category = 'partial' AND w.cause IS NULL AND w.start_us >= x.ready_us
),
broken AS (
  SELECT pool, chip_us, start_us, end_us, CAST(round(1e6 * (coalesce(had, chips) - has)) AS INTEGER) AS missing
  FROM held WHERE had IS NULL OR had > has + 5e-7
),
missed AS ( -- the most chips that the gangs of a pool miss at once
  SELECT pool, max(missing) / 1e6 AS most FROM (
    SELECT pool, sum(sum(missing)) OVER (PARTITION BY pool ORDER BY at_us) AS missing
    FROM (SELECT pool, start_us AS at_us, missing FROM broken UNION ALL SELECT pool, end_us, -missing FROM broken) GROUP BY pool, at_us)
  GROUP BY pool
),
ledger_time AS ( -- what waits does not list of the capacity, attempts held
  SELECT max(end_us) - min(start_us) AS length_us
  FROM (SELECT start_us, end_us FROM waits WHERE category <> 'queued' UNION ALL SELECT start_us, end_us FROM attempts)
),
spared AS ( -- the chip-time that waits for those chips, and how many spare ones end that
  SELECT pool AS segment, sum(chip_us) AS waiting, coalesce(:spares, max(most)) AS spare_chips
  FROM broken JOIN missed USING (pool) GROUP BY pool
),
known AS ( -- with the new interval, and the chip-time that spare chips idle beyond what is down today
  SELECT sums.*, interval_s, save_s, waiting, spare_chips,
         coalesce(:interval, CASE WHEN save_s >= 2 * mtti_s THEN mtti_s
           ELSE sqrt(2 * save_s * mtti_s) * (1 + sqrt(save_s / (2 * mtti_s)) / 3 + save_s / (2 * mtti_s) / 9) - save_s END) AS new_s,
         max(0, spare_chips * (SELECT length_us FROM ledger_time) - down) AS idle_spares
  FROM sums LEFT JOIN intervals AS n ON n.segment IS sums.segment LEFT JOIN saves AS s ON s.segment IS sums.segment
  LEFT JOIN mtti AS m ON m.segment IS sums.segment LEFT JOIN spared AS p ON p.segment IS sums.segment
),
changes AS (
  SELECT segment, 'asynchronous saves' AS change, coalesce(1.0 * :snapshot, 0.0) AS assumed, c, a, t, g, i, 0.0 AS more_allocated,
         blocked * (1 - iif(coalesce(:snapshot, 0) > 0, min(1, :snapshot / save_s), 0)) AS freed
  FROM known WHERE blocked > 0
  UNION ALL
  SELECT segment, 'checkpoint interval', new_s, c, a, t, g, i, 0.0,
         blocked * (1 - interval_s / new_s) + lost * (1.0 + coalesce(1.0 * input / nullif(steps, 0), 0)) * (1 - new_s / interval_s)
  FROM known WHERE blocked > 0
  UNION ALL
  SELECT segment, 'compilation cache', coalesce(1.0 * :cached, 1.0), c, a, t, g, i, 0.0, repeated * coalesce(:cached, 1)
  FROM known WHERE repeated > 0
  UNION ALL
  SELECT segment, 'spare chips', spare_chips, c, a, t, g, i, max(-1.0 * a, waiting - idle_spares), 0.0 FROM known WHERE waiting > 0
),
ratios AS (
  SELECT *, 1.0 * a / nullif(c, 0) AS SG, 1.0 * g / nullif(t, 0) AS RG, 1.0 * (a + more_allocated) / nullif(c, 0) AS SG_then,
         1.0 * g / nullif(t - freed, 0) AS RG_then
  FROM changes
)
SELECT segment, change, assumed, SG, RG, SG_then, RG_then, 100.0 * i / nullif(c, 0) * (SG_then * RG_then / nullif(SG * RG, 0) - 1) AS gain
FROM ratios
WHERE assumed IS NOT NULL AND freed IS NOT NULL
ORDER BY gain DESC, segment, change;
