-- schedulers.sql - several sources of schedulers' records: which are of one cluster, and what they tell twice.
--
-- Runs after the schedulers' scripts, before match.sql, if there are several such sources: files of other formats, or with other options.
-- Sources of one format that share a pool are of one cluster, if its name is the cluster's (Slurm, PBS); else, if they also share the
-- submission of a job or, of Kubernetes, the UID of an object. Those of several clusters number their jobs each by itself, so an id that
-- several have is a job in each, CLUSTER/ID. Within a cluster what two sources tell of one start counts once.

-- ---- 1. Clusters ----

CREATE TABLE scheduler_pool AS
SELECT DISTINCT source, format, pool
FROM (SELECT source, pool FROM all_allocations UNION ALL
      SELECT source, pool FROM all_capacity UNION ALL SELECT source, pool FROM all_observed)
JOIN source AS s USING (source) WHERE rank = 1 AND pool IS NOT NULL;
-- An export of Slurm without the column Cluster is of the cluster of another that has one of its submissions.
CREATE TABLE given_cluster AS
WITH named AS (SELECT source, min(substr(pool, 1, instr(pool || '/', '/') - 1)) AS name,
                      count(DISTINCT substr(pool, 1, instr(pool || '/', '/') - 1)) AS n
               FROM scheduler_pool WHERE format = 'slurm' GROUP BY source)
SELECT u.source, min(k.name) AS name
FROM (SELECT source FROM named WHERE name = 'slurm' AND n = 1) AS u
CROSS JOIN (SELECT source, name FROM named WHERE name <> 'slurm' AND n = 1) AS k
WHERE EXISTS (SELECT 1 FROM all_jobs AS a JOIN all_jobs AS b ON b.job = a.job AND b.submit_time = a.submit_time
              WHERE a.source = u.source AND b.source = k.source)
GROUP BY u.source HAVING count(DISTINCT k.name) = 1;
UPDATE scheduler_pool SET pool = g.name || substr(pool, 6) FROM given_cluster AS g WHERE g.source = scheduler_pool.source;
UPDATE all_allocations SET pool = g.name || substr(pool, 6) FROM given_cluster AS g WHERE g.source = all_allocations.source;
UPDATE all_capacity SET pool = g.name || substr(pool, 6) FROM given_cluster AS g WHERE g.source = all_capacity.source;
UPDATE all_outages SET pool = g.name || substr(pool, 6) FROM given_cluster AS g WHERE g.source = all_outages.source;
UPDATE all_observed SET pool = g.name || substr(pool, 6) FROM given_cluster AS g WHERE g.source = all_observed.source;
DROP TABLE given_cluster;
CREATE TABLE beside AS
SELECT p.source, q.source AS other, p.format, max(p.format = 'pbs' OR p.format = 'slurm' AND p.pool || '/' NOT LIKE 'slurm/%') AS named
FROM scheduler_pool AS p JOIN scheduler_pool AS q ON q.pool = p.pool AND q.format = p.format AND q.source > p.source
GROUP BY p.source, q.source
UNION ALL -- what only waits has no pool
SELECT a.source, b.source, a.format, 0 FROM source AS a JOIN source AS b ON b.format = a.format AND b.source > a.source
WHERE a.rank = 1 AND NOT (EXISTS (SELECT 1 FROM scheduler_pool AS p WHERE p.source = a.source)
                          AND EXISTS (SELECT 1 FROM scheduler_pool AS p WHERE p.source = b.source));
CREATE TABLE unnamed AS SELECT source FROM beside WHERE NOT named UNION SELECT other FROM beside WHERE NOT named;
CREATE TABLE told_of AS -- of jobs what makes them the same
SELECT source, job || ' ' || submit_time AS key FROM all_jobs JOIN source AS s USING (source)
WHERE format <> 'kube' AND source IN (SELECT source FROM unnamed) AND submit_time IS NOT NULL
UNION
SELECT source, alias FROM all_aliases JOIN source AS s USING (source)
WHERE format = 'kube' AND source IN (SELECT source FROM unnamed)
  AND alias GLOB '[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]-[0-9a-f][0-9a-f][0-9a-f][0-9a-f]-*';
CREATE UNIQUE INDEX told_of_by ON told_of(source, key);
DELETE FROM beside WHERE NOT named
  AND NOT EXISTS (SELECT 1 FROM told_of AS a CROSS JOIN told_of AS b ON b.source = beside.other AND b.key = a.key
                  WHERE a.source = beside.source);
DROP TABLE unnamed;
DROP TABLE told_of;
CREATE TABLE cluster AS
WITH RECURSIVE reach(source, other) AS (
  SELECT source, source FROM source WHERE rank = 1
  UNION
  SELECT r.source, iif(b.source = r.other, b.other, b.source) FROM reach AS r JOIN beside AS b ON r.other IN (b.source, b.other)
)
SELECT source, min(other) AS cluster FROM reach GROUP BY source;
CREATE UNIQUE INDEX cluster_of ON cluster(source);
INSERT INTO of_cluster SELECT source, cluster FROM cluster;
CREATE TABLE cluster_name AS -- what stands before the slash of its pools, if that is one
SELECT cluster, name || iif(row_number() OVER same > 1, '-' || row_number() OVER same, '') AS name
FROM (SELECT c.cluster, coalesce(iif(count(DISTINCT substr(pool, 1, instr(pool || '/', '/') - 1)) = 1,
                                     min(substr(pool, 1, instr(pool || '/', '/') - 1)), min(pool)), s.format || c.cluster) AS name
      FROM cluster AS c JOIN source AS s USING (source) LEFT JOIN scheduler_pool AS p USING (source) GROUP BY c.cluster)
WINDOW same AS (PARTITION BY name ORDER BY cluster);

-- ---- 2. Ids that several clusters gave ----

CREATE TABLE given_twice AS -- of several sources
SELECT job, count(DISTINCT cluster) AS clusters FROM all_jobs CROSS JOIN cluster USING (source)
WHERE job IS NOT NULL GROUP BY job HAVING count(DISTINCT source) > 1;
CREATE UNIQUE INDEX given_twice_of ON given_twice(job);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'info', 'run_anew', NULL, count(*),
       'ids that several clusters gave, the first ' || min(job) || ': each has a job of its own, '
         || (SELECT min(name) || '/' || min(job) FROM cluster_name) || ' and so on'
FROM given_twice WHERE clusters > 1 GROUP BY NULL;
CREATE TABLE own_name AS
SELECT DISTINCT j.source, j.job, n.name || '/' || j.job AS name
FROM given_twice AS g CROSS JOIN all_jobs AS j ON j.job = g.job CROSS JOIN cluster AS c ON c.source = j.source
CROSS JOIN cluster_name AS n ON n.cluster = c.cluster
WHERE clusters > 1;
CREATE UNIQUE INDEX own_name_of ON own_name(source, job);
UPDATE all_jobs SET job = o.name FROM own_name AS o WHERE o.source = all_jobs.source AND o.job = all_jobs.job;
UPDATE all_allocations SET job = o.name FROM own_name AS o WHERE o.source = all_allocations.source AND o.job = all_allocations.job;
UPDATE all_aliases SET job = o.name FROM own_name AS o WHERE o.source = all_aliases.source AND o.job = all_aliases.job;
UPDATE all_hosts SET job = o.name FROM own_name AS o WHERE o.source = all_hosts.source AND o.job = all_hosts.job;
INSERT INTO all_aliases(source, job, alias) -- and what it goes by beside the cluster's export (match.sql)
SELECT source, name, job FROM own_name
UNION SELECT o.source, o.name, rtrim(f.path, replace(f.path, '/', '')) || o.job FROM own_name AS o JOIN file AS f USING (source);

-- ---- 3. What several sources tell of one cluster ----

CREATE TABLE told_twice AS SELECT job FROM all_jobs CROSS JOIN cluster USING (source)
WHERE job IS NOT NULL GROUP BY job HAVING count(DISTINCT source) > 1;
CREATE UNIQUE INDEX told_twice_of ON told_twice(job);

CREATE TABLE shared_pool AS SELECT cluster, pool FROM scheduler_pool JOIN cluster USING (source) GROUP BY cluster, pool HAVING count(*) > 1;
-- A job's start, or what was installed then, is in each export that was made since: the row that knows its end counts.
CREATE TABLE told_before AS
SELECT row FROM (
  SELECT row, row_number() OVER (PARTITION BY cluster, job, pool, task, start_time, nth
                                 ORDER BY end_time IS NULL, end_time DESC, chips DESC, source) AS place
  FROM (SELECT a.rowid AS row, c.cluster, a.source, a.job, a.pool, a.task, a.start_time, a.end_time, a.chips,
               row_number() OVER (PARTITION BY a.source, a.job, a.pool, a.task, a.start_time
                                  ORDER BY a.end_time IS NULL, a.end_time DESC, a.chips DESC) AS nth
        FROM told_twice AS g CROSS JOIN all_allocations AS a ON a.job = g.job CROSS JOIN cluster AS c ON c.source = a.source))
WHERE place > 1;
DELETE FROM all_allocations WHERE rowid IN (SELECT row FROM told_before);
-- What ran when an earlier export was made, and in another has begun anew, has an end that neither says. Attempts are counted by time.
UPDATE all_allocations SET end_time = n.next
FROM (SELECT a.rowid AS row, (SELECT min(b.start_time) FROM all_allocations AS b
                              WHERE b.job = a.job AND b.source <> a.source AND b.start_time > a.start_time) AS next
      FROM told_twice AS g CROSS JOIN all_allocations AS a ON a.job = g.job WHERE a.end_time IS NULL) AS n
WHERE n.row = all_allocations.rowid AND next IS NOT NULL;
UPDATE all_allocations SET attempt = NULL
WHERE job IN (SELECT job FROM told_twice CROSS JOIN all_allocations USING (job) GROUP BY job HAVING count(DISTINCT source) > 1);
UPDATE all_jobs SET submit_time = s.first
FROM (SELECT job, min(submit_time) AS first FROM told_twice CROSS JOIN all_jobs USING (job) GROUP BY job) AS s WHERE s.job = all_jobs.job;

CREATE TABLE installed_before AS
SELECT row FROM (
  SELECT row, row_number() OVER (PARTITION BY cluster, pool, chips, start_time, nth
                                 ORDER BY end_time IS NULL, end_time DESC, source) AS place
  FROM (SELECT a.rowid AS row, c.cluster, a.source, a.pool, a.chips, a.start_time, a.end_time,
               row_number() OVER (PARTITION BY a.source, a.pool, a.chips, a.start_time ORDER BY a.end_time IS NULL, a.end_time DESC) AS nth
        FROM shared_pool AS s CROSS JOIN cluster AS c USING (cluster)
        CROSS JOIN all_capacity AS a ON a.source = c.source AND a.pool = s.pool))
WHERE place > 1;
DELETE FROM all_capacity WHERE rowid IN (SELECT row FROM installed_before);
CREATE TABLE down_before AS
SELECT row FROM (
  SELECT row, row_number() OVER (PARTITION BY cluster, pool, kind, chips, start_time, nth
                                 ORDER BY end_time IS NULL, end_time DESC, source) AS place
  FROM (SELECT a.rowid AS row, c.cluster, a.source, a.pool, a.kind, a.chips, a.start_time, a.end_time,
               row_number() OVER (PARTITION BY a.source, a.pool, a.kind, a.chips, a.start_time
                                  ORDER BY a.end_time IS NULL, a.end_time DESC) AS nth
        FROM shared_pool AS s CROSS JOIN cluster AS c USING (cluster)
        CROSS JOIN all_outages AS a ON a.source = c.source AND a.pool = s.pool))
WHERE place > 1;
DELETE FROM all_outages WHERE rowid IN (SELECT row FROM down_before);
UPDATE all_capacity SET chip = o.chip -- which one source is told by its option
FROM (SELECT s.pool, min(json_extract(o.options, '$.chip')) AS chip
      FROM shared_pool AS s JOIN cluster USING (cluster) JOIN source AS o USING (source)
      GROUP BY s.pool HAVING count(DISTINCT json_extract(o.options, '$.chip')) = 1) AS o
WHERE o.pool = all_capacity.pool AND source IN (SELECT source FROM cluster);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'conflict', NULL, count(*),
       'pools whose chips two sources with other options install at once, the first ' || min(pool)
         || ': they count together. Give files of one cluster the same options'
FROM (SELECT DISTINCT pool
      FROM (SELECT s.cluster, s.pool, min(a.start_time) AS first,
                   max(max(coalesce(a.end_time, 9e18)))
                     OVER (PARTITION BY s.cluster, s.pool ORDER BY min(a.start_time)
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM shared_pool AS s CROSS JOIN cluster AS c USING (cluster)
            CROSS JOIN all_capacity AS a ON a.source = c.source AND a.pool = s.pool GROUP BY s.cluster, s.pool, a.source)
      WHERE first < before)
GROUP BY NULL;
-- A source of which nothing runs says by its records how far it saw.
INSERT INTO all_observed(source, pool, until_time)
SELECT c.source, s.pool, (SELECT max(coalesce(end_time, start_time))
                          FROM all_allocations AS a WHERE a.source = c.source AND a.pool = s.pool) AS last
FROM shared_pool AS s JOIN cluster AS c USING (cluster)
WHERE s.pool IN (SELECT pool FROM all_observed JOIN cluster AS o USING (source) WHERE o.cluster = c.cluster)
  AND NOT EXISTS (SELECT 1 FROM all_observed AS o WHERE o.source = c.source AND o.pool = s.pool) AND last IS NOT NULL;

DROP TABLE scheduler_pool;
DROP TABLE beside;
DROP TABLE cluster;
DROP TABLE cluster_name;
DROP TABLE given_twice;
DROP TABLE told_twice;
DROP TABLE own_name;
DROP TABLE shared_pool;
DROP TABLE told_before;
DROP TABLE installed_before;
DROP TABLE down_before;
