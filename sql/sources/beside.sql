-- beside.sql - files that say nothing by themselves go to the source that they belong to, though their options differ.
--
-- Runs when sources are made, if there are several of one format. Events of a cluster need its jobs: where none of the same options are
-- there, they are of the one source that has jobs and whose options do not say otherwise, and both have the options of either. Several
-- such sources, whose options differ in what they say of jobs, are one: once it is known which jobs each has, they are read together.

CREATE TABLE beside AS
WITH has AS (
  SELECT source, s.format, s.options, max(f.parameter = r.needed) AS needed
  FROM source AS s JOIN format_rank AS r USING (format) JOIN file AS f USING (source) WHERE r.needed IS NOT NULL GROUP BY source
)
SELECT a.source, min(b.source) AS beside, a.options
FROM has AS a JOIN (SELECT *,
                           (SELECT json_group_array(key || '=' || value)
                            FROM (SELECT key, value FROM json_each(options)
                                  WHERE key NOT IN (SELECT key FROM of_jobs) ORDER BY key)) AS others FROM has) AS b USING (format)
WHERE NOT a.needed AND b.needed
  AND NOT EXISTS (SELECT 1 FROM json_each(a.options) AS o JOIN json_each(b.options) AS p USING (key)
                  WHERE o.value IS NOT p.value AND key NOT IN (SELECT key FROM of_jobs))
GROUP BY a.source HAVING count(DISTINCT others) = 1;
INSERT INTO together
SELECT DISTINCT b.source, d.beside
FROM beside AS d JOIN source AS c ON c.source = d.beside JOIN source AS b ON b.format = c.format AND b.source <> c.source
JOIN file AS f ON f.source = b.source
JOIN format_rank AS r ON r.format = b.format AND r.needed = f.parameter
WHERE NOT EXISTS (SELECT 1 FROM (SELECT key, value FROM json_each(b.options) EXCEPT SELECT key, value FROM json_each(c.options))
                  WHERE key NOT IN (SELECT key FROM of_jobs))
  AND NOT EXISTS (SELECT 1 FROM (SELECT key, value FROM json_each(c.options) EXCEPT SELECT key, value FROM json_each(b.options))
                  WHERE key NOT IN (SELECT key FROM of_jobs));

.read sql/sources/join/moved.sql
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'unused_option', NULL, 1,
       'option "' || o.key || '" of ' || min(f.path) || ' says what jobs are, and it names none: give it to the source that has the jobs'
FROM beside AS b CROSS JOIN json_each(b.options) AS o JOIN source AS s ON s.source = b.beside
JOIN file AS f ON f.source = b.beside AND f.options = b.options
WHERE o.key IN (SELECT key FROM of_jobs) AND json_extract(s.options, '$.' || o.key) IS NULL GROUP BY b.source, o.key;
DROP TABLE beside;
