-- What `make demo` shows: the goodput of a small fleet, and where its lost chip-time went.
.load ./mpg
.mode column
.headers on
.nullvalue -

.print 'ML Productivity Goodput of fixtures/fleet:  MPG = SG x RG x PG'
.print
WITH fleet AS MATERIALIZED (SELECT pool, phase, category, chip_us FROM trace_rollup('fixtures/fleet')),
shown AS (
  SELECT 0 AS level, NULL AS pool, NULL AS phase, category, chip_us FROM fleet
  UNION ALL SELECT 1, pool, NULL, category, chip_us FROM fleet
  UNION ALL SELECT 2, pool, phase, category, chip_us FROM fleet WHERE phase IS NOT NULL
)
SELECT CASE level WHEN 0 THEN 'the fleet' WHEN 1 THEN pool ELSE '' END AS pool,
       coalesce(phase, '') AS phase,
       printf('%10.1f', sum(chip_us) FILTER (WHERE category <> 'queued') / 3.6e9) AS chip_hours,
       round(scheduling_goodput(category, chip_us), 3) AS SG,
       round(runtime_goodput(category, chip_us), 3) AS RG,
       round(program_goodput(category, chip_us), 3) AS PG,
       round(mpg(category, chip_us), 3) AS MPG
FROM shown
GROUP BY level, shown.pool, shown.phase
ORDER BY shown.pool, level, shown.phase;

.print
.print 'A phase is measured on what its jobs held: idle and broken chips are the pool''s.'
.print 'Where the rest went, as a share of all chip-time:'
.print
WITH fleet AS MATERIALIZED (
  SELECT category, cause, sum(chip_us) AS chip_us
  FROM trace_rollup('fixtures/fleet')
  WHERE category <> 'queued'
  GROUP BY category, cause
)
SELECT category,
       coalesce(cause, '') AS cause,
       printf('%10.1f', chip_us / 3.6e9) AS chip_hours,
       printf('%5.1f %%', share) AS share,
       substr('########################################', 1, CAST(round(share) AS INTEGER)) AS ''
FROM (SELECT *, 100.0 * chip_us / (SELECT sum(chip_us) FROM fleet) AS share FROM fleet)
WHERE category <> 'ideal' AND chip_us <> 0
ORDER BY chip_us DESC;

.print
.print 'Now yours. Type  sqlite3 -cmd ''.load ./mpg''  and there'
.print '  SELECT pool, mpg(category, chip_us) FROM trace_rollup(''fixtures/fleet'') GROUP BY pool;'
