-- without_nodes.sql - sources of Kubernetes without a node are of the cluster that has nodes, though their options differ; and so are
-- those that have an object of it, by its UID.
--
-- Runs after the schedulers' scripts, if several sources are of Kubernetes, or other sources are to be read together (beside.sql). Pods and
-- Workloads say no pool: their nodes do. What such a source gave is dropped, and the one that it goes to, if that is one, is to be read
-- again: it is in the table read_again.

CREATE TABLE uid_of AS
SELECT DISTINCT source, alias FROM all_aliases
WHERE source IN (SELECT source FROM source WHERE format = 'kube')
  AND alias GLOB '[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]-[0-9a-f][0-9a-f][0-9a-f][0-9a-f]-*';
CREATE UNIQUE INDEX uid_of_by ON uid_of(source, alias);
CREATE TABLE beside AS
WITH cluster AS (SELECT source, options, coalesce(json_extract(records, '$.capacity'), 0) > 0 AS nodes FROM source WHERE format = 'kube')
SELECT source, min(beside) AS beside, options
FROM (SELECT a.source, b.source AS beside, a.options, a.nodes,
             EXISTS (SELECT 1 FROM uid_of AS u CROSS JOIN uid_of AS v ON v.source = b.source AND v.alias = u.alias
                     WHERE u.source = a.source) AS one
      FROM cluster AS a JOIN cluster AS b ON b.nodes AND (NOT a.nodes OR a.source > b.source)
      WHERE NOT EXISTS (SELECT 1 FROM json_each(a.options) AS o JOIN json_each(b.options) AS p USING (key)
                        WHERE o.value IS NOT p.value AND key NOT IN (SELECT key FROM of_jobs))
)
WHERE one OR NOT nodes GROUP BY source HAVING count(*) = 1 OR min(one);
DELETE FROM beside WHERE beside IN (SELECT source FROM beside);
DROP TABLE uid_of;
INSERT INTO beside SELECT t.source, t.beside, s.options FROM together AS t JOIN source AS s ON s.source = t.source;

.read sql/sources/join/moved.sql

CREATE TABLE read_again AS SELECT DISTINCT beside AS source FROM beside;
CREATE TABLE described(source, job, key, value, PRIMARY KEY (source, job, key)); -- by the options of the source whose files name them
INSERT OR IGNORE INTO described
WITH given AS (SELECT source, beside, options FROM beside
               UNION SELECT s.source, s.source, s.options FROM source AS s WHERE s.source IN (SELECT source FROM read_again)),
cluster AS ( -- which comes before the ids of one of several
  SELECT source, min(substr(pool, 1, instr(pool || '/', '/') - 1)) || '/' AS name
  FROM (SELECT source, pool FROM all_allocations UNION SELECT source, pool FROM all_observed) WHERE source IN (SELECT source FROM given)
  GROUP BY source HAVING count(DISTINCT substr(pool, 1, instr(pool || '/', '/') - 1)) = 1
)
SELECT g.beside, coalesce(c.name, '') || j.job, o.key, o.value
FROM given AS g CROSS JOIN (SELECT source, name FROM cluster UNION SELECT source, '' FROM given) AS c USING (source)
CROSS JOIN all_jobs AS j ON j.source = g.source CROSS JOIN json_each(g.options) AS o
WHERE o.key IN (SELECT key FROM of_jobs) ORDER BY g.source <> g.beside, g.source;
-- no two alike
UPDATE source SET options = json_set((SELECT json_group_object(key, value)
                                      FROM json_each(source.options) WHERE key NOT IN (SELECT key FROM of_jobs)), '$."read again"', source)
WHERE source IN (SELECT source FROM read_again);
INSERT INTO beside SELECT source, NULL, NULL FROM read_again;
DELETE FROM all_capacity WHERE source IN (SELECT source FROM beside);
DELETE FROM all_outages WHERE source IN (SELECT source FROM beside);
DELETE FROM all_jobs WHERE source IN (SELECT source FROM beside);
DELETE FROM all_allocations WHERE source IN (SELECT source FROM beside);
DELETE FROM all_observed WHERE source IN (SELECT source FROM beside);
DELETE FROM all_aliases WHERE source IN (SELECT source FROM beside);
DELETE FROM own_record WHERE source IN (SELECT source FROM beside);
UPDATE source SET records = '{}' WHERE source IN (SELECT source FROM read_again);
DROP TABLE beside;
