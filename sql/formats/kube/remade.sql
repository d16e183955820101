-- kube/remade.sql - jobs whose object was made again under its name: they ask for nothing in between, and again since it was made.
--
-- Reads kube_last, kube_untimed, jobs and allocations, to which it adds. A part of kube.sql, which says what the parameters are and
-- runs the parts in order.

-- Each object of the job's name that was made after another, or after pods of the job ran: since when it is there, until when, and when the
-- one before it was over. A TrainJob and its JobSet have one name: one of the kinds counts.
DROP TABLE IF EXISTS temp.kube_remade;
CREATE TEMP TABLE kube_remade AS
SELECT job, since, over, before, NULL AS attempt, NULL AS held_until, NULL AS next, NULL AS next_attempt
FROM (SELECT job, creationTimestamp AS since, over, lag(over) OVER made AS before, row_number() OVER made AS nth, n,
             dense_rank() OVER (PARTITION BY job ORDER BY n > 1 DESC, kind) AS kinds
      FROM (SELECT *, iif(event IS 'DELETED' OR finished IS NOT NULL, coalesce(finished, deletionTimestamp, gone, deleted), NULL) AS over,
                   count(*) OVER (PARTITION BY job, kind) AS n
            FROM kube_last LEFT JOIN kube_untimed USING (version)
            WHERE namespace || '/' || name = job AND job IN (SELECT job FROM jobs WHERE chips > 0) AND creationTimestamp IS NOT NULL
              AND (kind = 'Pod' OR apiVersion IS NOT 'v1') AND coalesce(apiVersion, '') NOT LIKE 'resource.k8s.io/%'
              AND kind NOT IN ('Node', 'Workload', 'Deployment', 'ReplicaSet', 'DaemonSet', 'ReplicationController', 'Rollout', 'Service',
                               'Configuration', 'Revision')) AS o
      WHERE n > 1 OR EXISTS (SELECT 1 FROM kube_attempts AS a WHERE a.job = o.job AND a.start_time < o.creationTimestamp)
      WINDOW made AS (PARTITION BY job, kind ORDER BY creationTimestamp))
WHERE kinds = 1 AND (nth > 1 OR n = 1);
--@ if EXISTS (SELECT 1 FROM kube_remade)
CREATE INDEX temp.kube_allocations_of ON allocations(job, start_time);
UPDATE kube_remade SET (attempt, held_until) = (SELECT coalesce(max(a.attempt), 0), max(coalesce(a.end_time, 9e18)) FROM allocations AS a
                                                WHERE a.job = kube_remade.job AND a.start_time < since),
  (next, next_attempt) = (SELECT min(a.start_time), min(a.attempt) FROM allocations AS a
                          WHERE a.job = kube_remade.job AND a.start_time >= since);
DROP TABLE IF EXISTS temp.kube_remade_in;
CREATE TEMP TABLE kube_remade_in(job TEXT PRIMARY KEY, pool) WITHOUT ROWID;
INSERT INTO kube_remade_in SELECT job, min(pool) FROM allocations WHERE job IN (SELECT r.job FROM kube_remade AS r) GROUP BY job;
DROP TABLE IF EXISTS temp.kube_only;
CREATE TEMP TABLE kube_only AS SELECT min(pool) AS pool FROM kube_nodes GROUP BY NULL HAVING count(DISTINCT pool) = 1;
-- Its attempts are numbered anew below. One begins when the object is made. What failed, or never ran, would ask on.
INSERT INTO allocations(job, attempt, pool, chips, start_time, end_time, outcome)
SELECT r.job, r.attempt + 0.25, coalesce(p.pool, k.pool, 'kubernetes'), 0, max(before, coalesce(held_until + 1e-6, before)),
       max(before, coalesce(held_until + 1e-6, before)), 'cancelled' -- after it, for what failed at the same time outweighs it
FROM kube_remade AS r LEFT JOIN kube_remade_in AS p USING (job) LEFT JOIN kube_only AS k
WHERE max(before, coalesce(held_until, before)) < since
  AND NOT EXISTS (SELECT 1 FROM allocations AS a
                  WHERE a.job = r.job AND a.attempt = r.attempt AND a.end_time = held_until AND a.outcome IN ('completed', 'cancelled'))
UNION ALL
SELECT r.job, coalesce(r.next_attempt, r.attempt + 0.5), coalesce(p.pool, k.pool, 'kubernetes'), 0,
       max(since, coalesce(held_until, since)), coalesce(next, over), iif(coalesce(next, over) IS NULL, NULL, 'cancelled')
FROM kube_remade AS r LEFT JOIN kube_remade_in AS p USING (job) LEFT JOIN kube_only AS k
WHERE max(since, coalesce(held_until, since)) < coalesce(next, over, 9e18);
UPDATE allocations SET attempt = n.nth
FROM (SELECT rowid AS row, dense_rank() OVER (PARTITION BY job ORDER BY attempt) AS nth FROM allocations
      WHERE job IN (SELECT job FROM kube_remade)) AS n
WHERE n.row = allocations.rowid;
DROP INDEX temp.kube_allocations_of;
DROP TABLE kube_remade_in;
DROP TABLE kube_only;
--@ end
DROP TABLE kube_remade;
