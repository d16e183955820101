-- migration.sql - the same work before and after a migration: of runtime, framework, chip or pool.
--
--@ table mpg_migration - the same work before and after a migration: of runtime, framework, chip or pool
--@ argument what :what TEXT 'runtime' (unless given), 'framework', 'chip', 'pool', 'phase': what changed
--@ argument before :before TEXT required: its value before, such as 'multi-controller'
--@ argument after :after TEXT required: its value after, such as 'pathways'
--@ argument same :same TEXT 'name' (unless given), 'model', 'job', 'owner', 'team': what makes two jobs the same work
--@ column work TEXT - the name (model, ...) found on both sides; the last row, 'all', is their sum
--@ column jobs_before BIGINT jobs
--@ column jobs_after BIGINT jobs
--@ column chip_hours_before REAL chip-hours that the jobs held
--@ column chip_hours_after REAL chip-hours
--@ column SG_before REAL ratio on the jobs' own basis
--@ column SG_after REAL ratio
--@ column RG_before REAL ratio
--@ column RG_after REAL ratio
--@ column PG_before REAL ratio
--@ column PG_after REAL ratio
--@ column MPG_before REAL ratio ideal / held: untraced and unrated count as no ideal
--@ column MPG_after REAL ratio
-- Basis: what the jobs held. Work that was seen on one side only is left out on both.
WITH sides AS (
  SELECT CASE coalesce(:same, 'name') WHEN 'name' THEN name WHEN 'model' THEN model WHEN 'job' THEN job WHEN 'owner' THEN owner
                                      WHEN 'team' THEN team END AS work,
         CASE coalesce(:what, 'runtime') WHEN 'runtime' THEN runtime WHEN 'framework' THEN framework WHEN 'chip' THEN chip
                                         WHEN 'pool' THEN pool WHEN 'phase' THEN phase END AS side,
         job, allocated_us + partial_us AS held_us, allocated_us AS a, untraced_us AS u, productive_us AS g, unrated_us AS r, ideal_us AS i
  FROM cells WHERE job IS NOT NULL AND category <> 'queued'
),
works AS (
  SELECT work FROM sides WHERE side IN (:before, :after) AND work IS NOT NULL
  GROUP BY work HAVING sum(side = :before) > 0 AND sum(side = :after) > 0
),
chosen AS (
  SELECT 0 AS place, s.* FROM sides AS s JOIN works AS w ON w.work = s.work WHERE s.side IN (:before, :after)
  UNION ALL
  SELECT 1, 'all', s.side, s.job, s.held_us, s.a, s.u, s.g, s.r, s.i FROM sides AS s JOIN works AS w ON w.work = s.work
  WHERE s.side IN (:before, :after)
),
sums AS (
  SELECT place, work,
         count(DISTINCT iif(side = :before, job, NULL)) AS bn, sum(iif(side = :before, held_us, 0)) AS bh,
         sum(iif(side = :before, a, 0)) AS ba,
         sum(iif(side = :before, a - u, 0)) AS bt, sum(iif(side = :before, g, 0)) AS bg, sum(iif(side = :before, g - r, 0)) AS br,
         sum(iif(side = :before, i, 0)) AS bi,
         count(DISTINCT iif(side = :after, job, NULL)) AS xn, sum(iif(side = :after, held_us, 0)) AS xh,
         sum(iif(side = :after, a, 0)) AS xa,
         sum(iif(side = :after, a - u, 0)) AS xt, sum(iif(side = :after, g, 0)) AS xg, sum(iif(side = :after, g - r, 0)) AS xr,
         sum(iif(side = :after, i, 0)) AS xi
  FROM chosen GROUP BY place, work
)
SELECT work, bn AS jobs_before, xn AS jobs_after, bh / 3.6e9 AS chip_hours_before, xh / 3.6e9 AS chip_hours_after,
       1.0 * ba / nullif(bh, 0) AS SG_before, 1.0 * xa / nullif(xh, 0) AS SG_after,
       1.0 * bg / nullif(bt, 0) AS RG_before, 1.0 * xg / nullif(xt, 0) AS RG_after,
       1.0 * bi / nullif(br, 0) AS PG_before, 1.0 * xi / nullif(xr, 0) AS PG_after,
       1.0 * bi / nullif(bh, 0) AS MPG_before, 1.0 * xi / nullif(xh, 0) AS MPG_after
FROM sums
ORDER BY place, bh + xh DESC, work;
