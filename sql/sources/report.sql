-- report.sql - the rows of trace_sources: each file, what it is, what its source gave and what is missing.

SELECT f.path AS file, f.format AS format, f.certainty AS certainty, f.reason AS reason,
       s.source AS source,
       (SELECT count(*) FROM file AS o WHERE o.source = f.source) AS files,
       iif(s.rank = 2, json_remove(s.records, '$.aliases'), s.records) AS records, -- a native trace has jobs, and no other names of them
       (SELECT count(DISTINCT job) FROM all_jobs AS j WHERE j.source = f.source AND (f.job IS NULL OR j.job = f.job)) AS jobs,
       (SELECT min(at) FROM (SELECT min(start_time) AS at FROM all_allocations AS a WHERE a.source = f.source
                             UNION ALL SELECT min(start_time) FROM all_capacity AS c WHERE c.source = f.source)) AS first_time,
       (SELECT max(at) FROM (SELECT max(coalesce(end_time, start_time)) AS at FROM all_allocations AS a WHERE a.source = f.source
                             UNION ALL SELECT max(coalesce(end_time, start_time)) FROM all_capacity AS c WHERE c.source = f.source)) AS last_time,
       (SELECT max(until_time) FROM all_observed AS o WHERE o.source = f.source) AS observed_until,
       r.feeds AS feeds,
       (SELECT nullif(group_concat(value, ', '), '')
        FROM (SELECT value FROM json_each(f.missing) WHERE json_extract(f.inferred, '$.' || value) IS NULL
              UNION ALL
              SELECT 'chip' -- of a pool whose jobs' programs could be rated, were its chips known
              WHERE s.rank < 3 AND EXISTS (SELECT 1 FROM source WHERE rank > 2)
                AND EXISTS (SELECT 1 FROM all_capacity AS c
                            WHERE c.source = f.source
                              AND replace(replace(replace(lower(coalesce(c.chip, '')), ' ', ''), '-', ''), '_', '') NOT IN (SELECT name FROM known_chip)))) AS missing,
       nullif(f.inferred, '{}') AS inferred,
       f.job AS job
FROM file AS f LEFT JOIN source AS s USING (source) LEFT JOIN format_rank AS r ON r.format = f.format
ORDER BY f.path;
