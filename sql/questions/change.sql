-- change.sql - which of SG, RG and PG explains the change of MPG between two periods.
--
--@ table mpg_change - which of SG, RG and PG explains the change of MPG between two periods
--@ argument before_since :before_since TIME first day or hour of the first period
--@ argument before_until :before_until TIME first day or hour after it; the start of the second unless given
--@ argument after_since :after_since TIME first day or hour of the second period; the middle of the ledger unless given
--@ argument after_until :after_until TIME first day or hour after it; the end unless given
--@ column factor TEXT - SG, RG, PG, the two coverages, and MPG_lower, their product
--@ column before REAL ratio in the first period
--@ column after REAL ratio in the second
--@ column change REAL log ln(after / before): the rows above add up to that of MPG_lower, exactly
--@ column points REAL points percentage points of MPG_lower that the factor explains: they add up as well
-- Basis: installed capacity. MPG_lower = SG x RG x PG x traced x rated, where traced and rated are the coverages: a change of what is known
-- is kept apart from a change of what happened. +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
-- Needs: ln, one of SQLite's mathematical functions.
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
  SELECT is_after, sum(capacity_us) AS c, sum(allocated_us) AS a, sum(allocated_us) - sum(untraced_us) AS t, sum(productive_us) AS g,
         sum(productive_us) - sum(unrated_us) AS r, sum(ideal_us) AS i
  FROM cells CROSS JOIN periods ON +hour >= since AND +hour < until
  GROUP BY 1
),
both AS (
  SELECT b.c AS bc, b.a AS ba, b.t AS bt, b.g AS bg, b.r AS br, b.i AS bi,
         x.c AS xc, x.a AS xa, x.t AS xt, x.g AS xg, x.r AS xr, x.i AS xi
  FROM sums AS b, sums AS x WHERE NOT b.is_after AND x.is_after
),
factors AS (
  SELECT 1 AS place, 'SG' AS factor, 1.0 * ba / nullif(bc, 0) AS before, 1.0 * xa / nullif(xc, 0) AS after FROM both
  UNION ALL SELECT 2, 'RG', 1.0 * bg / nullif(bt, 0), 1.0 * xg / nullif(xt, 0) FROM both
  UNION ALL SELECT 3, 'PG', 1.0 * bi / nullif(br, 0), 1.0 * xi / nullif(xr, 0) FROM both
  UNION ALL SELECT 4, 'traced', 1.0 * bt / nullif(ba, 0), 1.0 * xt / nullif(xa, 0) FROM both
  UNION ALL SELECT 5, 'rated', 1.0 * br / nullif(bg, 0), 1.0 * xr / nullif(xg, 0) FROM both
  UNION ALL SELECT 6, 'MPG_lower', 1.0 * bi / nullif(bc, 0), 1.0 * xi / nullif(xc, 0) FROM both
),
product AS (SELECT before, after FROM factors WHERE place = 6)
SELECT f.factor, f.before, f.after, ln(f.after / f.before) AS change,
       100 * CASE WHEN p.after = p.before THEN p.after ELSE (p.after - p.before) / ln(p.after / p.before) END
           * ln(f.after / f.before) AS points
FROM factors AS f, product AS p
ORDER BY f.place;
