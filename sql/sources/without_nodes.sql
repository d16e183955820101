-- without_nodes.sql - sources of Kubernetes without a node are of the cluster that has nodes, though their options differ.
--
-- Runs after the schedulers' scripts, if several sources are of Kubernetes. Pods and Workloads say no pool: their nodes do. What such a
-- source gave is dropped, and the one that it goes to, if that is one, is to be read again: it is in the table read_again.

CREATE TABLE beside AS
WITH cluster AS (SELECT source, options, coalesce(json_extract(records, '$.capacity'), 0) > 0 AS nodes FROM source WHERE format = 'kube')
SELECT a.source, min(b.source) AS beside, a.options
FROM cluster AS a JOIN cluster AS b ON b.nodes AND NOT a.nodes
WHERE NOT EXISTS (SELECT 1 FROM json_each(a.options) AS o JOIN json_each(b.options) AS p USING (key) WHERE o.value IS NOT p.value)
GROUP BY a.source HAVING count(*) = 1;

.read sql/sources/beside/moved.sql

CREATE TABLE read_again AS SELECT DISTINCT beside AS source FROM beside;
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
