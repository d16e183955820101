-- before_after.sql - two periods side by side: the factors of MPG, and every category's share of capacity.
--
--@ argument before_since :before_since TEXT first day or hour of the first period; the first of the ledger unless given
--@ argument before_until :before_until TEXT first day or hour after it; the start of the second unless given
--@ argument after_since :after_since TEXT first day or hour of the second period; the middle of the ledger unless given
--@ argument after_until :after_until TEXT first day or hour after it; the end unless given
--@ column kind TEXT - 'factor' or 'category'
--@ column item TEXT - SG, RG, PG, MPG (NULL while anything is untraced or unrated), MPG_lower; the categories
--@ column before REAL ratio in the first period; of a category its share of capacity
--@ column after REAL ratio in the second
--@ column change REAL points percentage points; those of the categories add up to nothing
-- Basis: installed capacity. Which factor explains how much of the change is told by sql/questions/change.sql.
-- +hour is compared as text; of a DATETIME, as the column is, '2027' would be a number.
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
sides AS ( -- one pass over the ledger
  SELECT is_after, category, sum(chip_us) AS us FROM cells CROSS JOIN periods ON +hour >= since AND +hour < until
  WHERE category <> 'queued'
  GROUP BY 1, 2
),
sums AS (
  SELECT is_after, sum(us) AS c, sum(iif(category NOT IN ('down', 'idle', 'partial'), us, 0)) AS a,
         sum(iif(category NOT IN ('down', 'idle', 'partial', 'untraced'), us, 0)) AS t,
         sum(iif(category IN ('inefficiency', 'unrated', 'ideal'), us, 0)) AS g,
         sum(iif(category IN ('inefficiency', 'ideal'), us, 0)) AS r,
         sum(iif(category = 'ideal', us, 0)) AS i
  FROM sides GROUP BY is_after
),
rows AS (
  SELECT 1 AS place, 'factor' AS kind, 'SG' AS item, is_after, 1.0 * a / nullif(c, 0) AS value FROM sums
  UNION ALL SELECT 2, 'factor', 'RG', is_after, 1.0 * g / nullif(t, 0) FROM sums
  UNION ALL SELECT 3, 'factor', 'PG', is_after, 1.0 * i / nullif(r, 0) FROM sums
  UNION ALL SELECT 4, 'factor', 'MPG', is_after, CASE WHEN a = t AND g = r THEN 1.0 * i / nullif(c, 0) END FROM sums
  UNION ALL SELECT 5, 'factor', 'MPG_lower', is_after, 1.0 * i / nullif(c, 0) FROM sums
  UNION ALL
  SELECT 6, 'category', category, is_after, 1.0 * us / nullif(c, 0) FROM sides JOIN sums USING (is_after)
),
names AS (SELECT DISTINCT place, kind, item FROM rows),
pairs AS (
  SELECT n.place, n.kind, n.item,
         coalesce((SELECT r.value FROM rows AS r WHERE r.item = n.item AND NOT r.is_after), iif(n.place = 6, 0.0, NULL)) AS before,
         coalesce((SELECT r.value FROM rows AS r WHERE r.item = n.item AND r.is_after), iif(n.place = 6, 0.0, NULL)) AS after
  FROM names AS n
)
SELECT kind, item, before, after, 100 * (after - before) AS change
FROM pairs
ORDER BY place, abs(after - before) DESC, item;
