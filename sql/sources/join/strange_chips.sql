-- join/strange_chips.sql - options `chip` that name no chip of the catalogue, whether something is rated or not. A part of join.sql and
-- alone.sql. Of programs chip.sql has said so. A native trace may bring chips of its own: then the ledger says so of what it cannot rate.

--@ if EXISTS (SELECT 1 FROM source WHERE instr(options, '"chip"'))
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(f.path), 'warning', 'unknown_chip', NULL, count(*),
       'option "chip": mpg_chips has no ''' || s.chip || ''': what runs on it is not rated. '
         || coalesce('Which of ' || (SELECT group_concat(chip, ', ')
                                     FROM (SELECT DISTINCT chip FROM mpg_chips WHERE instr(chip, lower(s.chip)) ORDER BY chip LIMIT 5))
                     || ' is it?', 'Is it the right name? A table chips adds one')
FROM (SELECT source, json_extract(options, '$.chip') AS chip FROM source WHERE rank < 4) AS s JOIN file AS f USING (source)
WHERE s.chip IS NOT NULL AND chip_name(s.chip) IS NULL AND NOT EXISTS (SELECT 1 FROM source WHERE format = 'native') GROUP BY s.source;
--@ end
