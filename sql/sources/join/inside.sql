-- join/inside.sql - Slurm inside of Kubernetes (Slinky, SUNK, soperator): its nodes are pods that hold the chips, or the nodes
-- themselves. A part of join.sql.

--@ if EXISTS (SELECT 1 FROM source WHERE format = 'slurm') AND EXISTS (SELECT 1 FROM source WHERE format = 'kube')
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH within AS (
  SELECT DISTINCT h.host, s.pool, s.first, s.last
  FROM (SELECT source, min(pool) AS pool, min(start_time) AS first, max(coalesce(end_time, 9e18)) AS last FROM all_allocations
        WHERE chips > 0 AND source IN (SELECT source FROM source WHERE format = 'slurm') GROUP BY source) AS s
  CROSS JOIN all_hosts AS h USING (source)
)
SELECT coalesce(:path, 'sources'), 'warning', 'conflict', NULL, count(DISTINCT host),
       'nodes of Slurm that are ' || iif(max(of_pod), 'pods', 'nodes') || ' of Kubernetes, the first ' || min(host)
         || ': their chips count twice, in pool ' || min(pool) || ' and in pool ' || min(other) || '. Leave out one of the two'
FROM (SELECT i.host, i.pool, a.pool AS other, 1 AS of_pod
      FROM within AS i JOIN all_allocations AS a ON a.task = i.host AND a.chips > 0 AND a.start_time < i.last
        AND coalesce(a.end_time, 9e18) > i.first
                                                                                AND a.source IN (SELECT source
                                                                                    FROM source WHERE format = 'kube')
      UNION
      SELECT i.host, i.pool, (SELECT min(pool) FROM all_capacity AS c WHERE c.source = h.source), 0
      FROM within AS i JOIN all_hosts AS h ON h.host = i.host AND h.source IN (SELECT source FROM source WHERE format = 'kube')
      WHERE EXISTS (SELECT 1 FROM all_allocations AS a
                    WHERE a.source = h.source AND a.chips > 0 AND a.start_time < i.last AND coalesce(a.end_time, 9e18) > i.first))
GROUP BY NULL HAVING count(*) > 0;
--@ end
