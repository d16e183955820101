-- het.sql - gives the SQL that shares out the spans of logs which are of all parts of a heterogeneous job; none if there is no such log.
--
-- Runs between join.sql and across.sql. Each part did each step, with the share of its work that its chips are.

WITH has AS (
  SELECT s.source, c.name FROM (SELECT DISTINCT source FROM het_part) AS s, pragma_table_info('spans_of_' || s.source, 'temp') AS c
),
of_source AS (
  SELECT source, group_concat(name) AS names,
         group_concat(CASE WHEN name = 'job' THEN 'h.part' WHEN name = 'attempt' THEN 'NULL'
                           WHEN name IN ('flops', 'bytes') THEN 's.' || name || ' * h.share'
                           WHEN name = 'executions' THEN 'coalesce(s.executions, 1) * h.share' ELSE 's.' || name END) AS shared,
         group_concat(CASE WHEN name IN ('flops', 'bytes') THEN name || ' = ' || name || ' * h.share'
                           WHEN name = 'executions' THEN 'executions = coalesce(executions, 1) * h.share' END) AS own
  FROM has GROUP BY source
)
SELECT coalesce(group_concat('
CREATE TABLE het_log AS -- by each name that its spans have
SELECT h.job, h.part, h.share, r.was FROM het_part AS h JOIN renamed AS r ON r.source = h.source AND r.job = h.job WHERE h.source = ' || source || '
UNION SELECT job, part, share, job FROM het_part WHERE source = ' || source || ';
INSERT INTO temp.spans_of_' || source || '(' || names || ')
SELECT ' || shared || ' FROM temp.spans_of_' || source || ' AS s CROSS JOIN het_log AS h ON h.was = s.job WHERE h.part <> h.job;'
|| coalesce('
UPDATE temp.spans_of_' || source || ' SET ' || own || ' FROM main.het_log AS h WHERE h.was = spans_of_' || source || '.job AND h.part = h.job;', '') || '
DROP TABLE het_log;', ''), '')
FROM of_source;
