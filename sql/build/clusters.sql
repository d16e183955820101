-- build/clusters.sql - a job whose id the tables have of another cluster is called CLUSTER/ID, as where both clusters are read at once.
--
-- Each cluster numbers its own jobs, and clusters may be built one after the other. A job is another cluster's if it was submitted at
-- another time and held chips in pools that this reading's cluster does not have. A job that only waits is of this reading's cluster, if
-- there is one. This is only for schedulers, which say until when they observe pools; an export of Slurm without its column Cluster may be
-- of any cluster. A part of build.sql. Changes mpg_others and mpg_incoming, and fills mpg_of_cluster, by which the views of spans and
-- commits name their jobs (records.sql).

-- Of what comes in: where the records of pools and attempts are that were not there (if any was), the ids of all attempts, all pools, and
-- until when pools were observed.
--@ part known
DROP TABLE IF EXISTS temp.mpg_fresh;
CREATE TEMP TABLE mpg_fresh(row INTEGER PRIMARY KEY);
INSERT INTO temp.mpg_fresh
SELECT rowid FROM temp.mpg_others
WHERE record IN ('capacity', 'outages', 'allocations') AND EXISTS (SELECT 1 FROM temp.mpg_known)
  AND id NOT IN (SELECT k.id FROM temp.mpg_known AS k);
DROP TABLE IF EXISTS temp.mpg_ids;
CREATE TEMP TABLE mpg_ids(id INTEGER PRIMARY KEY);
INSERT INTO temp.mpg_ids
SELECT DISTINCT id FROM temp.mpg_others
WHERE record = 'allocations'
  AND (EXISTS (SELECT 1 FROM temp.mpg_known) OR EXISTS (SELECT 1 FROM main.observed) -- or of logs, which are the only ones asked for then
       OR EXISTS (SELECT 1 FROM temp.mpg_others AS l WHERE l.record = 'observed' AND l.job IS NOT NULL))
ORDER BY id;
DROP TABLE IF EXISTS temp.mpg_pools;
CREATE TEMP TABLE mpg_pools AS SELECT DISTINCT pool FROM temp.mpg_others WHERE pool IS NOT NULL;
DROP TABLE IF EXISTS temp.mpg_seen;
CREATE TEMP TABLE mpg_seen AS SELECT pool, job, until_us FROM temp.mpg_others WHERE record = 'observed' AND pool IS NOT NULL;
CREATE INDEX temp.mpg_seen_of ON mpg_seen(pool);
DROP TABLE IF EXISTS temp.mpg_log_ends; -- until when this reading observes what jobs did
CREATE TEMP TABLE mpg_log_ends(job TEXT PRIMARY KEY, until_us BIGINT) WITHOUT ROWID;
INSERT INTO temp.mpg_log_ends
SELECT job, max(until_us) FROM temp.mpg_others WHERE record = 'observed' AND job IS NOT NULL AND until_us IS NOT NULL GROUP BY job;
DROP TABLE IF EXISTS temp.mpg_swapped_jobs; -- that the tables had, if this reading is older: older.sql
CREATE TEMP TABLE mpg_swapped_jobs(job TEXT PRIMARY KEY) WITHOUT ROWID;
DROP TABLE IF EXISTS temp.mpg_kept_logs; -- of jobs that the tables have and this reading lacks, with steps that are new: kept_logs.sql
CREATE TEMP TABLE mpg_kept_logs(job TEXT PRIMARY KEY, of_job TEXT, more BIGINT) WITHOUT ROWID;
DROP TABLE IF EXISTS temp.mpg_pieces; -- logs that come in, and of which the tables have another piece: pieces.sql
CREATE TEMP TABLE mpg_pieces(job TEXT PRIMARY KEY, start_us BIGINT, until_us BIGINT, attempts BIGINT) WITHOUT ROWID;

--@ part joined
INSERT INTO temp.mpg_of_cluster
WITH told AS (SELECT DISTINCT pool, substr(pool, 1, instr(pool || '/', '/') - 1) AS cluster FROM temp.mpg_others
              WHERE record = 'observed' AND job IS NULL AND pool IS NOT NULL),
seen AS ( -- if the tables have another
  SELECT pool, cluster FROM told
  WHERE EXISTS (SELECT 1 FROM main.observed AS m
                WHERE substr(m.pool, 1, instr(m.pool || '/', '/') - 1) NOT IN (SELECT t.cluster FROM told AS t))
),
here AS (
  SELECT o.job, min(s.cluster) AS cluster FROM seen AS s JOIN temp.mpg_others AS o ON o.pool = s.pool
  WHERE o.record = 'allocations' AND o.chips > 0 AND instr(o.job, '/') = 0 GROUP BY o.job HAVING count(DISTINCT s.cluster) = 1
  UNION ALL
  SELECT o.job, c.cluster
  FROM (SELECT min(cluster) AS cluster FROM seen GROUP BY NULL HAVING count(DISTINCT cluster) = 1) AS c CROSS JOIN temp.mpg_others AS o
  WHERE o.record = 'jobs' AND instr(o.job, '/') = 0
    AND o.job NOT IN (SELECT a.job FROM temp.mpg_others AS a WHERE a.record = 'allocations' AND a.chips > 0)
)
SELECT h.job, h.cluster || '/' || h.job
FROM here AS h CROSS JOIN main.jobs AS j ON j.job = h.job JOIN temp.mpg_others AS i ON i.record = 'jobs' AND i.job = h.job
WHERE (i.submit_us <> j.submit_us OR EXISTS (SELECT 1 FROM main.jobs AS k WHERE k.job = h.cluster || '/' || h.job))
  AND EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = h.job AND a.chips > 0)
  AND NOT EXISTS (SELECT 1 FROM main.allocations AS a
                  WHERE a.job = h.job AND a.chips > 0
                    AND (substr(a.pool, 1, instr(a.pool || '/', '/') - 1) IN (h.cluster, 'slurm') OR h.cluster = 'slurm'))
GROUP BY h.job;
UPDATE temp.mpg_others SET job = c.name FROM temp.mpg_of_cluster AS c WHERE c.job = mpg_others.job;
INSERT INTO temp.mpg_incoming(job, n, low, high, start_us) -- a job of that name may come in as well
SELECT c.name, i.n, i.low, i.high, i.start_us FROM temp.mpg_of_cluster AS c JOIN temp.mpg_incoming AS i USING (job)
WHERE true ON CONFLICT (job) DO UPDATE SET n = n + excluded.n, low = low + excluded.low, high = high + excluded.high,
  start_us = min(start_us, excluded.start_us);
DELETE FROM temp.mpg_incoming WHERE job IN (SELECT c.job FROM temp.mpg_of_cluster AS c);
INSERT INTO temp.mpg_log_ends(job, until_us)
SELECT c.name, e.until_us FROM temp.mpg_of_cluster AS c JOIN temp.mpg_log_ends AS e USING (job)
WHERE true ON CONFLICT (job) DO UPDATE SET until_us = max(until_us, excluded.until_us);
DELETE FROM temp.mpg_log_ends WHERE job IN (SELECT c.job FROM temp.mpg_of_cluster AS c);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'info', 'run_anew', NULL, count(*),
       'ids that the tables have of another cluster, the first ' || min(job) || ': each has a job of its own, ' || min(name) || ' and so on'
FROM temp.mpg_of_cluster GROUP BY NULL;
