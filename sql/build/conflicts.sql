-- build/conflicts.sql - what this reading and the tables say otherwise of one thing, where only one of them counts.
--
-- A part of build.sql. Reads the tables that retold.sql made, and drops them.

-- An id that a job of another cluster has.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(*),
       'jobs whose id the tables have of another cluster, the first ' || min(job || ' of ' || cluster)
         || ': both count as one. Build the folders of all clusters at once'
FROM (SELECT DISTINCT n.job, n.cluster
      FROM (SELECT DISTINCT job, cluster FROM temp.mpg_new WHERE record = 'allocations' AND instr(job, '/') = 0 AND chips > 0) AS n
      CROSS JOIN main.jobs AS j ON j.job = n.job
      JOIN temp.mpg_others AS i ON i.record = 'jobs' AND i.job = n.job AND i.submit_us <> j.submit_us
      WHERE EXISTS (SELECT 1 FROM main.allocations AS a WHERE a.job = n.job AND a.chips > 0)
        AND NOT EXISTS (SELECT 1 FROM main.allocations AS a
                        WHERE a.job = n.job AND substr(a.pool, 1, instr(a.pool || '/', '/') - 1) = n.cluster))
GROUP BY NULL HAVING count(*) > 0;
-- What is installed as nodes are listed now counts since the first job of Slurm, or the node's begin, whatever was there then.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(DISTINCT w.pool),
       'pools that had other chips in an earlier reading, the first ' || min(w.pool) || ', ' || printf('%g', w.chips)
         || ': what this one lists counts since then as well. Export when it changed (Slurm: sacctmgr show event)'
FROM temp.mpg_replaced AS r JOIN temp.mpg_was AS w ON w.record = r.record AND w.id = r.was
JOIN temp.mpg_new AS n ON n.record = w.record AND n.pool = w.pool AND n.start_us = w.start_us AND n.chips <> w.chips
WHERE r.record = 'capacity' AND w.end_us IS NULL AND n.end_us IS NULL GROUP BY NULL HAVING count(*) > 0;
DROP TABLE temp.mpg_new;
DROP TABLE temp.mpg_was;
DROP TABLE temp.mpg_again;
DROP TABLE temp.mpg_retold;
DROP TABLE temp.mpg_replaced;
DROP TABLE temp.mpg_left;
