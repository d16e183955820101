-- chip.sql - programs without the option chip run on the one chip of all pools.
--
-- Runs before the scripts of programs, if one of their sources has no option chip. Where a program multiplies in several dtypes, only
-- a chip says what its FLOPs are in one of them.

CREATE TABLE one_chip AS
SELECT chip
FROM (SELECT min(k.chip) AS chip, count(DISTINCT k.chip) AS n
      FROM (SELECT DISTINCT replace(replace(replace(lower(chip), ' ', ''), '-', ''), '_', '') AS name FROM all_capacity WHERE chip IS NOT NULL)
      JOIN (SELECT c.chip, replace(replace(replace(lower(n.value), ' ', ''), '-', ''), '_', '') AS name
            FROM mpg_chips AS c, json_each(json_insert(coalesce(c.aliases, '[]'), '$[#]', c.chip)) AS n) AS k USING (name))
WHERE n = 1;
UPDATE file SET inferred = json_set(inferred, '$.chip', 'the one chip of the pools')
WHERE EXISTS (SELECT 1 FROM one_chip) AND source IN (SELECT source FROM source WHERE rank = 4 AND json_extract(options, '$.chip') IS NULL);
UPDATE source SET options = json_set(options, '$.chip', o.chip, '$.chip_of', 'pools') -- another source may have the same chip as its option
FROM one_chip AS o WHERE rank = 4 AND json_extract(options, '$.chip') IS NULL;
DROP TABLE one_chip;
