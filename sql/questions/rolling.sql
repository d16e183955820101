-- rolling.sql - goodput of the last hour and the last 24 hours, at each hour.
--
--@ table mpg_rolling - goodput of the last hour and the last 24 hours, at each hour
--@ argument pool :pool TEXT one pool; all unless given
--@ column hour TEXT - start of the hour that the windows end with
--@ column SG_1h REAL ratio of that hour
--@ column RG_1h REAL ratio
--@ column PG_1h REAL ratio
--@ column MPG_1h REAL ratio MPG_lower: untraced and unrated count as no ideal
--@ column SG_24h REAL ratio of the hours up to it; of fewer at the start
--@ column RG_24h REAL ratio
--@ column PG_24h REAL ratio
--@ column MPG_24h REAL ratio
-- Basis: installed capacity. Sums of hours are added up and divided last.
WITH hours AS (
  SELECT hour, sum(capacity_us) AS c, sum(allocated_us) AS a, sum(allocated_us - untraced_us) AS t, sum(productive_us) AS g,
         sum(productive_us - unrated_us) AS r, sum(ideal_us) AS i
  FROM cells WHERE (:pool IS NULL OR pool = :pool) GROUP BY hour
),
windows AS (
  SELECT *, sum(c) OVER w AS wc, sum(a) OVER w AS wa, sum(t) OVER w AS wt, sum(g) OVER w AS wg, sum(r) OVER w AS wr, sum(i) OVER w AS wi
  FROM (SELECT *, CAST(strftime('%s', hour) AS INTEGER) / 3600 AS n FROM hours)
  WINDOW w AS (ORDER BY n RANGE BETWEEN 23 PRECEDING AND CURRENT ROW)
)
SELECT hour, 1.0 * a / nullif(c, 0) AS SG_1h, 1.0 * g / nullif(t, 0) AS RG_1h, 1.0 * i / nullif(r, 0) AS PG_1h,
       1.0 * i / nullif(c, 0) AS MPG_1h,
       1.0 * wa / nullif(wc, 0) AS SG_24h, 1.0 * wg / nullif(wt, 0) AS RG_24h, 1.0 * wi / nullif(wr, 0) AS PG_24h,
       1.0 * wi / nullif(wc, 0) AS MPG_24h
FROM windows
ORDER BY hour;
