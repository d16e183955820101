-- mllog/paths.sql - which folder the runs of a score share, and where the description of their system lies.
--
-- Reads mlperf_survey. Makes mlperf_paths(file, runs, system). A part of mllog.sql, which says what the parameters are.

-- A submission has ".../results/NAME/BENCHMARK/result_0.txt" and ".../systems/NAME.json"; MLPerf HPC has "weak" or "strong" below NAME.
-- Without a folder "results" NAME is two above the log.
DROP TABLE IF EXISTS temp.mlperf_paths;
CREATE TEMP TABLE mlperf_paths AS
WITH RECURSIVE log AS (
  SELECT file, rtrim(path, replace(path, '/', '')) AS folder, rtrim(path, '.txgzs0123456789') AS stem FROM mlperf_survey
),
up(file, folder, child, depth) AS (
  SELECT file, folder, NULL, 0 FROM log
  UNION ALL
  SELECT file, rtrim(rtrim(folder, '/'), replace(folder, '/', '')),
         rtrim(substr(folder, 1 + length(rtrim(rtrim(folder, '/'), replace(folder, '/', '')))), '/'), depth + 1
  FROM up WHERE depth < 6
),
above AS (
  SELECT file, folder, child, row_number() OVER (PARTITION BY file ORDER BY '/' || folder LIKE '%/results/' DESC,
                                                 '/' || folder NOT LIKE '%/results/' AND depth <> 2, depth) AS place
  FROM up WHERE depth > 0
)
SELECT file, CASE WHEN stem LIKE '%result\_' ESCAPE '\' THEN substr(stem, 1, length(stem) - 7) ELSE log.folder END AS runs,
       rtrim(rtrim(above.folder, '/'), replace(above.folder, '/', '')) || 'systems/' || child || '.json' AS system
FROM log JOIN above USING (file) WHERE place = 1;
