-- named.sql - when logs without a clock began that are of no job which says so: at the time that their names tell; and the year of times
-- that have none.
--
-- Runs after match.sql, if a name tells one. Of a log whose job is known its time counts only if the job held chips then (placed.sql). The
-- name of a folder in which a scheduler's export lies as well says when that was made.

UPDATE file SET named = NULL, named_year = NULL WHERE named_in IS NOT NULL AND EXISTS (
  SELECT 1 FROM file AS e JOIN source AS s USING (source) WHERE s.rank = 1 AND substr(e.path, 1, length(file.named_in)) = file.named_in);
UPDATE file SET start = named, inferred = json_set(inferred, '$.start', 'the time in its name'),
  missing = (SELECT json_group_array(value) FROM json_each(missing) WHERE value <> 'start')
WHERE named IS NOT NULL AND start IS NULL AND source IS NULL;
UPDATE file SET options = json_set(options, '$.year', named_year), inferred = json_set(inferred, '$.year', 'the year in its name'),
  missing = (SELECT json_group_array(value) FROM json_each(missing) WHERE value <> 'year')
WHERE named_year IS NOT NULL AND json_extract(options, '$.year') IS NULL AND source IS NULL;
