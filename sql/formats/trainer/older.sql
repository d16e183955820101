-- trainer/older.sql - saves, as versions of DeepSpeed before 0.6.4 tell of them: by their files alone, that of the optimizer last.
--
-- Reads training_lines, and says there when a save began and ended as later versions do.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.training_older;
CREATE TEMP TABLE training_older AS
SELECT file, max(json_extract(fields, '$.zero') IS NOT NULL) AS ends FROM training_lines
WHERE step IS NULL AND fields IS NOT NULL GROUP BY file
HAVING count(coalesce(json_extract(fields, '$.model'), json_extract(fields, '$.zero'))) > 0
  AND count(coalesce(json_extract(fields, '$.saving'), json_extract(fields, '$.saved'), json_extract(fields, '$.begun'),
                     json_extract(fields, '$.staged'))) = 0;
UPDATE training_lines SET fields = CASE
  WHEN json_extract(fields, '$.zero') IS NOT NULL THEN json_set(fields, '$.saved', json_extract(fields, '$.zero'))
  WHEN (SELECT ends FROM training_older AS o WHERE o.file = training_lines.file)
    THEN json_set(fields, '$.saving', json_extract(fields, '$.model'))
  ELSE json_set(fields, '$.begun', json_extract(fields, '$.model')) END
WHERE file IN (SELECT file FROM training_older) AND coalesce(json_extract(fields, '$.model'), json_extract(fields, '$.zero')) IS NOT NULL;
DROP TABLE training_older;
