-- join/moved.sql - the files of the sources in the table beside go to those that they belong to. A part of beside.sql and
-- without_nodes.sql.

DELETE FROM beside WHERE EXISTS (SELECT 1 FROM beside AS o CROSS JOIN json_each(o.options) AS p CROSS JOIN json_each(beside.options) AS q
                                 WHERE o.beside = beside.beside AND p.key = q.key AND p.value IS NOT q.value
                                   AND p.key NOT IN (SELECT key FROM of_jobs));
UPDATE file SET source = b.beside FROM beside AS b WHERE b.source = file.source;
DELETE FROM source WHERE source IN (SELECT source FROM beside);
UPDATE source SET options = (
  SELECT json_group_object(key, value)
  FROM (SELECT o.key, o.value FROM json_each(source.options) AS o UNION SELECT o.key, o.value FROM beside AS b, json_each(b.options) AS o
                 WHERE b.beside = source.source AND o.key NOT IN (SELECT key FROM of_jobs)))
WHERE source IN (SELECT beside FROM beside);
UPDATE file SET missing = (SELECT json_group_array(m.value)
                           FROM source AS s, json_each(file.missing) AS m
                           WHERE s.source = file.source AND json_extract(s.options, '$.' || m.value) IS NULL)
WHERE source IN (SELECT beside FROM beside) AND missing <> '[]';
