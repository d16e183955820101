-- join/told_chips.sql - the chips of pools, where the scheduler does not say them or logs of their jobs say others. A part of join.sql.

-- A pool's chip by its site's name ("h100") may be any of several; the trainer's log names the one.
CREATE TABLE better_chip AS
SELECT pool, min(chip) AS chip FROM told_chip WHERE chip_name(chip) IS NOT NULL GROUP BY pool HAVING count(DISTINCT chip_name(chip)) = 1;
-- Of a pool of which no source says what is installed, the option of its scheduler says it, or such a log.
INSERT INTO no_capacity
SELECT a.source, a.pool, coalesce(json_extract(s.options, '$.chip'), b.chip), json_extract(s.options, '$.chip') IS NULL
FROM (SELECT 1 FROM source WHERE rank > 1 OR json_extract(options, '$.chip') IS NOT NULL LIMIT 1)
CROSS JOIN (SELECT DISTINCT source, pool FROM all_allocations) AS a
JOIN source AS s USING (source) LEFT JOIN better_chip AS b ON b.pool = a.pool
WHERE (s.rank < 3 OR json_extract(s.options, '$.chip') IS NOT NULL) AND a.pool NOT IN (SELECT pool FROM all_capacity WHERE pool IS NOT NULL);
UPDATE no_capacity SET chip = o.chip, by_log = 0 -- the option of one source of a pool is that of the others
FROM (SELECT pool, max(chip) AS chip FROM no_capacity WHERE NOT by_log GROUP BY pool) AS o WHERE o.pool = no_capacity.pool AND by_log;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'conflict', NULL, count(*),
       'pools whose sources have other options "chip", the first ' || min(pool) || ': all its chips count as ' || max(chip)
FROM (SELECT pool, max(chip) AS chip FROM no_capacity GROUP BY pool HAVING count(DISTINCT chip) > 1) GROUP BY NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT DISTINCT coalesce(:path, 'sources'), 'info', 'chip_inferred', NULL, 1,
       'the chips of pool ' || c.pool || ' are counted as ' || b.chip || ', as a log of its jobs says'
FROM (SELECT pool FROM all_capacity WHERE chip_name(chip) IS NULL
      UNION ALL SELECT pool FROM no_capacity WHERE by_log) AS c JOIN better_chip AS b USING (pool);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'mixed_pool', NULL, count(*),
       'pools of whose jobs the logs name several chips, and nothing else which, the first '
         || min(pool || ', ' || first || ' and ' || last)
         || ': give it the option chip, or the chips pools of their own; until then work is unrated'
FROM (SELECT pool, min(chip_name(chip)) AS first, max(chip_name(chip)) AS last FROM told_chip
      WHERE pool IN (SELECT pool FROM all_capacity WHERE chip_name(chip) IS NULL UNION ALL SELECT pool FROM no_capacity WHERE by_log)
      GROUP BY pool HAVING count(DISTINCT chip_name(chip)) > 1) GROUP BY NULL;
UPDATE all_capacity SET chip = b.chip FROM better_chip AS b
WHERE b.pool = all_capacity.pool AND chip_name(all_capacity.chip) IS NULL;

-- A pool's chip that is none of those that logs of its jobs name.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH pool_chip AS (
  SELECT DISTINCT c.pool, c.chip, chip_name(c.chip) AS known
  FROM (SELECT 1 FROM told_chip LIMIT 1) CROSS JOIN (SELECT pool, chip FROM all_capacity UNION SELECT pool, chip FROM no_capacity) AS c
  WHERE chip_name(c.chip) IS NOT NULL
)
SELECT coalesce(:path, 'sources'), 'warning', 'conflict', NULL, count(DISTINCT t.pool),
       'pools whose jobs'' logs name other chips, the first ' || min(t.pool) || ', where they name ' || min(t.chip)
         || ' and the scheduler or an option ' || (SELECT min(p.chip) FROM pool_chip AS p WHERE p.pool = min(t.pool))
         || ', by which work is rated'
FROM told_chip AS t
WHERE t.pool IN (SELECT pool FROM pool_chip) AND chip_name(t.chip) IS NOT NULL
  AND (t.pool, chip_name(t.chip)) NOT IN (SELECT pool, known FROM pool_chip)
GROUP BY NULL HAVING count(*) > 0;
