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
  SELECT coalesce(rtrim(replace(:after_since, 'T', ' '), 'Z'), (SELECT hour FROM (SELECT DISTINCT hour FROM ledger WHERE category <> 'queued') ORDER BY hour
                                 LIMIT 1 OFFSET (SELECT count(DISTINCT hour) / 2 FROM ledger WHERE category <> 'queued'))) AS cut
),
sides AS (
  SELECT +hour >= cut AS is_after, cells.* FROM cells, middle
  WHERE ((+hour >= rtrim(replace(coalesce(:before_since, ''), 'T', ' '), 'Z') AND +hour < rtrim(replace(coalesce(:before_until, cut), 'T', ' '), 'Z'))
      OR (+hour >= cut AND +hour < rtrim(replace(coalesce(:after_until, '~'), 'T', ' '), 'Z')))
    AND category <> 'queued'
),
sums AS (
  SELECT is_after, sum(capacity_us) AS c, sum(allocated_us) AS a, sum(allocated_us) - sum(untraced_us) AS t, sum(productive_us) AS g,
         sum(productive_us) - sum(unrated_us) AS r, sum(ideal_us) AS i
  FROM sides GROUP BY is_after
),
rows AS (
  SELECT 1 AS place, 'factor' AS kind, 'SG' AS item, is_after, 1.0 * a / nullif(c, 0) AS value FROM sums
  UNION ALL SELECT 2, 'factor', 'RG', is_after, 1.0 * g / nullif(t, 0) FROM sums
  UNION ALL SELECT 3, 'factor', 'PG', is_after, 1.0 * i / nullif(r, 0) FROM sums
  UNION ALL SELECT 4, 'factor', 'MPG', is_after, CASE WHEN a = t AND g = r THEN 1.0 * i / nullif(c, 0) END FROM sums
  UNION ALL SELECT 5, 'factor', 'MPG_lower', is_after, 1.0 * i / nullif(c, 0) FROM sums
  UNION ALL
  SELECT 6, 'category', s.category, s.is_after, 1.0 * sum(s.chip_us) / nullif((SELECT c FROM sums WHERE sums.is_after = s.is_after), 0)
  FROM sides AS s GROUP BY s.category, s.is_after
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
