-- report.sql - the rows of trace_sources: each file, what it is, what its source gave and what is missing.
--
-- Files may be many, and so may records: each relation is read once for all of them. Times are Unix seconds; what a source tells as text
-- SQLite reads, to the millisecond.

WITH held AS (
  SELECT source, start_time, coalesce(end_time, start_time) AS end_time FROM all_allocations
  UNION ALL SELECT source, start_time, coalesce(end_time, start_time) FROM all_capacity
),
told(source, first, last, until, jobs, files) AS (
  SELECT source, min(start_time), max(end_time), NULL, NULL, NULL FROM held GROUP BY source
  UNION ALL SELECT source, NULL, NULL, max(until_time), NULL, NULL FROM all_observed GROUP BY source
  UNION ALL SELECT source, NULL, NULL, NULL, count(DISTINCT job), NULL FROM all_jobs GROUP BY source
  UNION ALL SELECT source, NULL, NULL, NULL, NULL, count(*) FROM file WHERE source IS NOT NULL GROUP BY source
),
of_source AS (
  SELECT source, max(jobs) AS jobs, max(files) AS files,
         max(iif(typeof(first) = 'text', strftime('%s', first) - strftime('%S', first) + strftime('%f', first), first)) AS first_time,
         max(iif(typeof(last) = 'text', strftime('%s', last) - strftime('%S', last) + strftime('%f', last), last)) AS last_time,
         max(iif(typeof(until) = 'text', strftime('%s', until) - strftime('%S', until) + strftime('%f', until), until)) AS observed_until
  FROM told GROUP BY source
),
-- Logs of trainers that tell of no chips, and those whose chip the catalogue does not know.
no_chips AS (
  SELECT a.source, coalesce(r.job, a.job) AS job FROM all_assumed_chips AS a LEFT JOIN renamed AS r ON r.source = a.source AND r.was = a.job
),
unnamed AS ( -- of files that name their jobs, as goodput logs do
  SELECT source
  FROM (SELECT source, job FROM no_chips EXCEPT SELECT source, coalesce(job, path) FROM file EXCEPT SELECT source, job FROM chips_then)
),
no_chip AS (SELECT DISTINCT source FROM all_capacity
            WHERE source IN (SELECT source FROM source WHERE format IN ('maxtext', 'megatron', 'torchtitan'))
              AND chip_name(chip) IS NULL)
SELECT f.path AS file, f.format AS format, f.certainty AS certainty, f.reason AS reason,
       s.source AS source, coalesce(t.files, 0) AS files,
       -- these are no relations: joining alone reads them
       json_remove(s.records, '$.aliases', '$.hosts', '$.program_files', '$.assumed_chips') AS records,
       iif(f.job IS NULL, coalesce(t.jobs, 0), (f.source, f.job) IN (SELECT source, job FROM all_jobs)) AS jobs,
       t.first_time, t.last_time, t.observed_until,
       r.feeds AS feeds,
       (SELECT nullif(group_concat(value, ', '), '')
        FROM (SELECT value FROM json_each(f.missing) WHERE json_extract(f.inferred, '$.' || value) IS NULL
              UNION ALL
              SELECT 'chips' WHERE ((f.source, coalesce(f.job, f.path)) IN (SELECT source, job FROM no_chips)
                  OR f.job IS NULL AND f.source IN (SELECT source FROM unnamed)
                    AND iif((f.source, f.path) IN (SELECT source, job FROM all_jobs), 0, 1))
                AND json_extract(f.inferred, '$.chips') IS NULL
                               AND 'chips' NOT IN (SELECT value FROM json_each(f.missing))
              UNION ALL
              SELECT 'chip' WHERE f.source IN (SELECT source FROM no_chip)
                AND (f.job IS NULL OR NOT EXISTS (SELECT 1 FROM source WHERE rank < 3))
              UNION ALL
              SELECT 'chip' -- of a pool whose jobs' programs could be rated, were its chips known
              WHERE s.rank < 3 AND EXISTS (SELECT 1 FROM source WHERE rank > 2)
                AND EXISTS (SELECT 1 FROM (SELECT source, chip FROM all_capacity UNION ALL SELECT source, chip FROM no_capacity) AS c
                            WHERE c.source = f.source AND chip_name(c.chip) IS NULL))) AS missing,
       nullif(f.inferred, '{}') AS inferred,
       f.job AS job
FROM file AS f LEFT JOIN source AS s USING (source) LEFT JOIN format_rank AS r ON r.format = f.format
LEFT JOIN of_source AS t ON t.source = f.source
ORDER BY f.path;
