-- chip.sql - programs without the option chip, or with one that the catalogue does not know, run on the one chip of all pools.
--
-- Runs before the scripts of programs. Where a program multiplies in several dtypes, only a chip says what its FLOPs are in one of them:
-- of several chips, programs.sql has each job's.
--@ extends chips

CREATE TABLE strange_chip AS
SELECT source, json_extract(options, '$.chip') AS chip FROM source
WHERE rank = 4 AND json_extract(options, '$.chip') IS NOT NULL AND chip_name(json_extract(options, '$.chip')) IS NULL;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'unknown_chip', NULL, count(*),
       'options "chip" that are no name of a chip in mpg_chips, or one of several, the first ' || min(chip)
         || ': programs run on the chips of the pools'
FROM strange_chip GROUP BY NULL;
UPDATE source SET options = json_set(options, '$.chip', NULL, '$.chip_of', s.chip) FROM strange_chip AS s WHERE s.source = source.source;
DROP TABLE strange_chip;
CREATE TABLE one_chip AS
SELECT min(name) AS chip
FROM (SELECT DISTINCT chip_name(chip) AS name
      FROM (SELECT chip FROM all_capacity UNION SELECT json_extract(options, '$.chip') FROM source WHERE rank = 1))
GROUP BY NULL HAVING count(name) = 1;
UPDATE file SET inferred = json_set(inferred, '$.chip', 'the one chip of the pools')
WHERE EXISTS (SELECT 1 FROM one_chip) AND source IN (SELECT source FROM source WHERE rank = 4 AND json_extract(options, '$.chip') IS NULL);
-- another source may have the same chip as its option
UPDATE source SET options = json_set(options, '$.chip', o.chip, '$.chip_of', coalesce(json_extract(options, '$.chip_of'), 'pools'))
FROM one_chip AS o WHERE rank = 4 AND json_extract(options, '$.chip') IS NULL;
DROP TABLE one_chip;
