-- join/idle_before.sql - chips that were installed long before the first job that the exports tell of: perhaps the jobs were exported from
-- later on, and then that time is no idleness. A part of join.sql and alone.sql, after the relations. What a native trace says is meant.

--@ if EXISTS (SELECT 1 FROM all_capacity) AND EXISTS (SELECT 1 FROM all_allocations)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH held AS MATERIALIZED (
  SELECT pool, min(start_time) AS first, max(coalesce(end_time, start_time)) AS last FROM all_allocations GROUP BY pool
),
installed AS (
  SELECT c.source, c.pool, h.first, min(c.start_time) AS since,
         total(c.chips * (min(coalesce(c.end_time, h.first), h.first) - c.start_time)) FILTER (WHERE c.start_time < h.first) AS before,
         total(c.chips * (max(coalesce(c.end_time, h.last, h.first), c.start_time) - c.start_time)) AS whole
  FROM all_capacity AS c CROSS JOIN held AS h ON h.pool = c.pool
  WHERE c.source NOT IN (SELECT source FROM source WHERE format = 'native') GROUP BY c.source, c.pool
)
SELECT (SELECT min(path) FROM file AS f WHERE f.source = i.source), 'warning', 'idle_before_jobs', NULL, count(*),
       'pools whose chips are idle from when they were installed to the first job of the exports, ' || min(pool) || ' for '
         || CAST((first - since) / 86400 AS INTEGER) || ' days: if jobs were exported from later on, give since'
FROM installed AS i WHERE first - since > 86400 AND before > 0.1 * whole GROUP BY source;
--@ end
