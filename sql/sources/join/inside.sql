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

-- Pods of a NodeSet (Slinky, SUNK) are nodes of a Slurm, by a part of their name: slurm-worker-gpu-0 is gpu-0. One that goes by another
-- hostname is known by nothing.
DROP TABLE IF EXISTS node_pods;
CREATE TABLE node_pods AS
SELECT a.source, a.task, a.pool, a.start_time, coalesce(a.end_time, 9e18) AS end_time
FROM all_jobs AS j JOIN all_allocations AS a ON a.source = j.source AND a.job = j.job
WHERE j.labels LIKE '%"NodeSet"%' AND json_extract(j.labels, '$.kind') = 'NodeSet' AND a.chips > 0
  AND j.source IN (SELECT source FROM source WHERE format = 'kube')
  AND NOT EXISTS (SELECT 1 FROM all_hosts AS h
                  WHERE h.host = a.task AND h.source IN (SELECT source FROM source WHERE format = 'slurm'));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
WITH slurms AS (
  SELECT source, min(pool) AS pool, min(start_time) AS first, max(coalesce(end_time, 9e18)) AS last FROM all_allocations
  WHERE chips > 0 AND source IN (SELECT source FROM source WHERE format = 'slurm') GROUP BY source
),
named AS (
  SELECT p.task, s.pool, p.pool AS other,
         EXISTS (SELECT 1 FROM all_hosts AS h WHERE h.source = s.source AND substr(p.task, -1 - length(h.host)) = '-' || h.host) AS known
  FROM node_pods AS p JOIN slurms AS s ON p.start_time < s.last AND p.end_time > s.first
)
SELECT coalesce(:path, 'sources'), 'warning', 'conflict', NULL, count(DISTINCT task),
       iif(max(known), 'nodes of Slurm that are pods of Kubernetes, the first ', 'pods of a NodeSet, which are nodes of a Slurm, the first ')
         || min(task) || iif(max(known), ': their chips count twice, in pool ', ': if of that of these exports, their chips count twice, in pool ')
         || min(pool) || ' and in pool ' || min(other) || '. Leave out one of the two'
FROM named WHERE known OR NOT EXISTS (SELECT 1 FROM named WHERE known) GROUP BY NULL HAVING count(*) > 0;
DROP TABLE node_pods;
--@ end
