-- log/chips.sql - the chips of the catalogue by each of their names, in small letters without spaces, dashes and underscores:
-- training_chips. A trainer counts devices, and says the rate of one: some chips are of several.
--
-- A part of maxtext.sql, megatron.sql, torchtitan.sql and trainer.sql, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_chips;
CREATE TEMP TABLE training_chips AS
SELECT replace(replace(replace(lower(name.value), ' ', ''), '-', ''), '_', '') AS name, max(c.devices) AS devices,
       max(iif(c.dtype = 'bf16', c.peak_flops, NULL)) AS peak_flops
FROM mpg_chips AS c, json_each(json_insert(c.aliases, '$[#]', c.chip)) AS name GROUP BY 1;
CREATE INDEX temp.training_chips_by_name ON training_chips(name);
