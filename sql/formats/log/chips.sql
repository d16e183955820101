-- log/chips.sql - the chips of the catalogue: training_chips.
--
-- A trainer counts devices, and says the rate of one: some chips are of several.
-- A part of maxtext.sql, megatron.sql, torchtitan.sql and trainer.sql, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_chips;
CREATE TEMP TABLE training_chips AS
SELECT chip, max(devices) AS devices, max(iif(dtype = 'bf16', peak_flops, NULL)) AS peak_flops FROM mpg_chips GROUP BY chip;
