-- beside.sql - files that say nothing by themselves go to the source that they belong to, though their options differ.
--
-- Runs when sources are made, if there are several of one format. Events of a cluster need its jobs: where none of the same options are
-- there, they are of the one source that has jobs and whose options do not say otherwise, and both have the options of either.

CREATE TABLE beside AS
WITH has AS (
  SELECT source, s.format, s.options, max(f.parameter = r.needed) AS needed
  FROM source AS s JOIN format_rank AS r USING (format) JOIN file AS f USING (source) WHERE r.needed IS NOT NULL GROUP BY source
)
SELECT a.source, min(b.source) AS beside, a.options
FROM has AS a JOIN has AS b USING (format)
WHERE NOT a.needed AND b.needed
  AND NOT EXISTS (SELECT 1 FROM json_each(a.options) AS o JOIN json_each(b.options) AS p USING (key) WHERE o.value IS NOT p.value)
GROUP BY a.source HAVING count(*) = 1;
DELETE FROM beside WHERE EXISTS (SELECT 1 FROM beside AS o CROSS JOIN json_each(o.options) AS p CROSS JOIN json_each(beside.options) AS q
                                 WHERE o.beside = beside.beside AND p.key = q.key AND p.value IS NOT q.value);
UPDATE file SET source = b.beside FROM beside AS b WHERE b.source = file.source;
DELETE FROM source WHERE source IN (SELECT source FROM beside);
UPDATE source SET options = (
  SELECT json_group_object(key, value) FROM (SELECT o.key, o.value FROM json_each(source.options) AS o UNION SELECT o.key, o.value FROM beside AS b, json_each(b.options) AS o WHERE b.beside = source.source))
WHERE source IN (SELECT beside FROM beside);
DROP TABLE beside;
