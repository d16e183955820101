-- net_mpg.sql - program goodput against runtime goodput: where a faster program only waits longer.
--
--@ table mpg_net_mpg - program goodput against runtime goodput: where a faster program only waits longer
--@ argument by :by TEXT 'model' (unless given), 'phase', 'framework', 'runtime', 'size', 'team', 'pool', 'chip', 'job'
--@ argument since :since TIME the day or hour that parts before from after; the middle of the ledger unless given
--@ column segment TEXT - the group
--@ column RG REAL ratio over both periods
--@ column PG REAL ratio
--@ column net REAL ratio RG x PG: what the two make of allocated time
--@ column dRG REAL points percentage points from before to after
--@ column dPG REAL points
--@ column dnet REAL points
--@ column verdict TEXT - 'both', 'neither', or which rose: 'PG, paid with RG', 'RG, paid with PG', with ' at a loss' where net fell
-- Basis: allocated - untraced for RG, productive - unrated for PG.
WITH middle AS (
  SELECT coalesce(rtrim(replace(:since, 'T', ' '), 'Z'),
                  (SELECT hour FROM (SELECT DISTINCT hour FROM ledger WHERE category <> 'queued') ORDER BY hour
                           LIMIT 1 OFFSET (SELECT count(DISTINCT hour) / 2 FROM ledger WHERE category <> 'queued'))) AS hour
),
sums AS ( -- t: allocated and traced, g: productive, r: of that rated, i: ideal; b: of these what lies before
  SELECT CASE coalesce(:by, 'model') WHEN 'model' THEN model WHEN 'phase' THEN phase WHEN 'framework' THEN framework
              WHEN 'runtime' THEN runtime
           WHEN 'size' THEN size WHEN 'team' THEN team WHEN 'pool' THEN pool WHEN 'chip' THEN chip WHEN 'job' THEN job
              ELSE 'unknown :by, ' || :by END AS segment,
         sum(allocated_us - untraced_us) AS t, sum(productive_us) AS g, sum(productive_us - unrated_us) AS r, sum(ideal_us) AS i,
         sum(iif(+cells.hour < middle.hour, allocated_us - untraced_us, 0)) AS bt,
         sum(iif(+cells.hour < middle.hour, productive_us, 0)) AS bg,
         sum(iif(+cells.hour < middle.hour, productive_us - unrated_us, 0)) AS br, sum(iif(+cells.hour < middle.hour, ideal_us, 0)) AS bi
  FROM cells, middle WHERE job IS NOT NULL
  GROUP BY 1
),
ratios AS ( -- of both periods; b: before, x: after
  SELECT segment, 1.0 * g / nullif(t, 0) AS RG, 1.0 * i / nullif(r, 0) AS PG, 1.0 * bg / nullif(bt, 0) AS bRG,
         1.0 * bi / nullif(br, 0) AS bPG,
         1.0 * (g - bg) / nullif(t - bt, 0) AS xRG, 1.0 * (i - bi) / nullif(r - br, 0) AS xPG
  FROM sums
)
SELECT segment, RG, PG, RG * PG AS net, 100 * (xRG - bRG) AS dRG, 100 * (xPG - bPG) AS dPG, 100 * (xRG * xPG - bRG * bPG) AS dnet,
       CASE WHEN xRG >= bRG AND xPG >= bPG THEN 'both' WHEN xRG < bRG AND xPG < bPG THEN 'neither'
            WHEN xPG >= bPG THEN 'PG, paid with RG' WHEN xRG >= bRG THEN 'RG, paid with PG' END
       || iif((xRG >= bRG) <> (xPG >= bPG) AND xRG * xPG < bRG * bPG, ' at a loss', '') AS verdict
FROM ratios
WHERE RG IS NOT NULL
ORDER BY segment;
