-- What `make demo` shows: the goodput of a small fleet, and where its lost chip-time went.
.load ./mpg
.mode column
.headers on
.nullvalue -

.print "ML Productivity Goodput of fixtures/fleet:  MPG = SG x RG x PG"
.print
WITH fleet AS (SELECT pool, phase, category, chip_us FROM trace_rollup('fixtures/fleet')),
shown AS (
  SELECT 0 AS level, NULL AS pool, NULL AS phase, category, chip_us FROM fleet
  UNION ALL SELECT 1, pool, NULL, category, chip_us FROM fleet WHERE pool IS NOT NULL
  UNION ALL SELECT 2, pool, phase, category, chip_us FROM fleet WHERE pool IS NOT NULL AND phase IS NOT NULL
)
-- Not printf(), which makes a zero of NULL: what is unknown is shown as such.
SELECT CASE level WHEN 0 THEN 'the fleet' WHEN 1 THEN pool ELSE '' END AS pool,
       coalesce(phase, '') AS phase,
       printf('%10.1f', sum(chip_us) FILTER (WHERE category <> 'queued') / 3.6e9) AS chip_hours,
       round(scheduling_goodput(category, chip_us), 3) AS SG,
       round(runtime_goodput(category, chip_us), 3) AS RG,
       round(program_goodput(category, chip_us), 3) AS PG,
       printf('%s %.3f', CASE WHEN mpg(category, chip_us) IS NULL THEN '>=' ELSE ' =' END,
              mpg_lower(category, chip_us)) AS MPG,
       CAST(round(100 * runtime_coverage(category, chip_us)) AS INTEGER) || ' %' AS traced,
       CAST(round(100 * program_coverage(category, chip_us)) AS INTEGER) || ' %' AS rated
FROM shown
GROUP BY level, shown.pool, shown.phase
ORDER BY shown.pool, level, shown.phase;

.print
.print "A phase is measured on what its jobs held: idle and broken chips are the pool's. RG and PG speak of what is"
.print "traced and rated; where that is not all, MPG is a lower bound (mpg_lower; mpg itself is NULL)."
.print
.print "Where the rest went, as a share of all chip-time:"
.print
WITH fleet AS (
  SELECT category, cause, sum(chip_us) AS chip_us
  FROM trace_rollup('fixtures/fleet')
  WHERE category <> 'queued'
  GROUP BY category, cause
)
SELECT CASE WHEN share < 0.5 THEN 'all else' ELSE category END AS category,
       CASE WHEN share < 0.5 THEN '' ELSE coalesce(cause, '') END AS cause,
       printf('%10.1f', sum(chip_us) / 3.6e9) AS chip_hours,
       printf('%5.1f %%', sum(share)) AS share,
       substr('########################################', 1, CAST(round(sum(share)) AS INTEGER)) AS ' '
FROM (SELECT *, 100.0 * chip_us / (SELECT sum(chip_us) FROM fleet) AS share FROM fleet) AS shares
WHERE category <> 'ideal'
GROUP BY 1, 2
ORDER BY shares.share < 0.5, sum(chip_us) DESC;

.print
.print "Now yours. Type  sqlite3 -cmd '.load ./mpg'  and there"
.print "  SELECT pool, mpg_lower(category, chip_us) FROM trace_rollup('fixtures/fleet') GROUP BY pool;"
