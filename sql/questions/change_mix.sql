-- change_mix.sql - how much of a change of MPG is another mix of segments, and how much happened within them.
--
--@ table mpg_change_mix - how much of a change of MPG is another mix of segments, and how much happened within them
--@ argument by :by TEXT 'pool' (unless given), 'chip', 'phase', 'framework', 'runtime', 'model', 'size', 'team', 'owner'
--@ argument before_since :before_since TIME first day or hour of the first period
--@ argument before_until :before_until TIME first day or hour after it; the start of the second unless given
--@ argument after_since :after_since TIME first day or hour of the second period; the middle of the ledger unless given
--@ argument after_until :after_until TIME first day or hour after it; the end unless given
--@ column segment TEXT - the group; the last row, 'all', adds them up
--@ column mix REAL points percentage points of MPG_lower from the segment's share of capacity
--@ column SG REAL points from its scheduling goodput
--@ column RG REAL points from its runtime goodput
--@ column PG REAL points from its program goodput
--@ column coverage REAL points from the shares of its time that are traced and rated
--@ column new REAL points of a segment without ideal time, or without capacity, in one of the periods: it came, or went
--@ column total REAL points the change of its contribution: the columns before it, added up
-- Basis: contributions, ideal / capacity of the fleet. Each is share x SG x RG x PG x traced x rated, and its change is split by logarithms
-- with the logarithmic mean as weight, which leaves no remainder. +hour is compared as text; of a DATETIME, as the column is, '2027' would
-- be a number. Needs: ln, one of SQLite's mathematical functions.
WITH middle AS (
  SELECT coalesce(rtrim(replace(:after_since, 'T', ' '), 'Z'),
                  (SELECT hour FROM (SELECT DISTINCT hour FROM ledger WHERE category <> 'queued') ORDER BY hour
                           LIMIT 1 OFFSET (SELECT count(DISTINCT hour) / 2 FROM ledger WHERE category <> 'queued'))) AS cut
),
periods AS (
  SELECT 0 AS is_after, rtrim(replace(coalesce(:before_since, ''), 'T', ' '), 'Z') AS since,
         rtrim(replace(coalesce(:before_until, cut), 'T', ' '), 'Z') AS until FROM middle
  UNION ALL SELECT 1, cut, rtrim(replace(coalesce(:after_until, '~'), 'T', ' '), 'Z') FROM middle
),
sums AS (
  SELECT CASE coalesce(:by, 'pool')
           WHEN 'pool' THEN pool WHEN 'chip' THEN chip WHEN 'phase' THEN phase WHEN 'framework' THEN framework
           WHEN 'runtime' THEN runtime WHEN 'model' THEN model WHEN 'size' THEN size WHEN 'team' THEN team
           WHEN 'owner' THEN owner ELSE 'unknown :by, ' || :by END AS segment,
         is_after,
         sum(capacity_us) AS c, sum(allocated_us) AS a, sum(allocated_us) - sum(untraced_us) AS t, sum(productive_us) AS g,
         sum(productive_us) - sum(unrated_us) AS r, sum(ideal_us) AS i
  FROM cells CROSS JOIN periods ON +hour >= since AND +hour < until
  GROUP BY 1, 2
),
fleet AS (SELECT is_after, sum(c) AS c FROM sums GROUP BY is_after),
names AS (SELECT segment FROM sums GROUP BY segment HAVING sum(c) <> 0 OR sum(i) > 0),
sides AS ( -- b: before, x: after; c: capacity, a: allocated, t: of that traced, g: productive, r: of that rated, i: ideal
  SELECT n.segment, bf.c AS b_fleet, xf.c AS x_fleet, b.c AS bc, b.a AS ba, b.t AS bt, b.g AS bg, b.r AS br,
         coalesce(b.i, 0) AS bi, x.c AS xc, x.a AS xa, x.t AS xt, x.g AS xg, x.r AS xr, coalesce(x.i, 0) AS xi
  FROM names AS n
  JOIN fleet AS bf ON NOT bf.is_after
  JOIN fleet AS xf ON xf.is_after
  LEFT JOIN sums AS b ON b.segment IS n.segment AND NOT b.is_after
  LEFT JOIN sums AS x ON x.segment IS n.segment AND x.is_after
),
weighed AS ( -- contributions; a segment lasts if it has one, and chips, in both periods
  SELECT *, 100.0 * bi / b_fleet AS before, 100.0 * xi / x_fleet AS after, bi > 0 AND xi > 0 AND bc > 0 AND xc > 0 AS lasts FROM sides
),
split AS (
  SELECT *, CASE WHEN NOT lasts THEN 0 WHEN before = after THEN after ELSE (after - before) / ln(after / before) END AS weight
  FROM weighed
),
parts AS (
  SELECT segment,
         iif(lasts, weight * ln((1.0 * xc / x_fleet) / (1.0 * bc / b_fleet)), 0.0) AS mix,
         iif(lasts, weight * ln((1.0 * xa / xc) / (1.0 * ba / bc)), 0.0) AS SG,
         iif(lasts, weight * ln((1.0 * xg / xt) / (1.0 * bg / bt)), 0.0) AS RG,
         iif(lasts, weight * ln((1.0 * xi / xr) / (1.0 * bi / br)), 0.0) AS PG,
         iif(lasts, weight * ln((1.0 * xt / xa * xr / xg) / (1.0 * bt / ba * br / bg)), 0.0) AS coverage,
         iif(lasts, 0.0, after - before) AS new,
         after - before AS total
  FROM split
)
SELECT segment, mix, SG, RG, PG, coverage, new, total
FROM (
  SELECT 0 AS place, * FROM parts
  UNION ALL
  SELECT 1, 'all', sum(mix), sum(SG), sum(RG), sum(PG), sum(coverage), sum(new), sum(total) FROM parts -- points: no digits to lose
)
ORDER BY place, segment;
