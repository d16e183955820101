-- join/unmatched.sql - jobs of logs that no other source knows: they hold chips of their own, or some of a pool that their option names.
-- Makes installed_there(row), of all_capacity, for the latter. A part of join.sql.

--@ if EXISTS (SELECT 1 FROM source WHERE rank = 3 AND instr(options, '"pool"')) AND EXISTS (SELECT 1 FROM source WHERE rank < 3)
INSERT INTO installed_there
SELECT c.rowid FROM source AS s CROSS JOIN all_capacity AS c ON c.source = s.source AND c.pool = json_extract(s.options, '$.pool')
WHERE s.rank = 3 AND c.pool IN (SELECT pool FROM all_capacity WHERE source IN (SELECT source FROM source WHERE rank < 3));
--@ end

-- What is left of a log's beside a scheduler or a native trace that says who held the chips then, or what was installed.
--@ if EXISTS (SELECT 1 FROM source WHERE rank < 3) AND EXISTS (SELECT 1 FROM source WHERE rank = 3)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(coalesce((SELECT path FROM file AS f WHERE f.source = a.source AND f.path = a.job),
                    (SELECT min(path) FROM file AS f WHERE f.source = a.source))), 'warning', 'unmatched_log', NULL, count(DISTINCT a.job),
       'jobs of logs that nothing here knows, first ' || min(a.job)
         || ': they count with chips of their own. Name the job by the option job, or its pool by the option pool'
FROM all_allocations AS a
CROSS JOIN (SELECT min(iif(typeof(start_time) = 'text', CAST(strftime('%s', start_time) AS INTEGER), start_time)) AS first,
                   max(iif(typeof(until) = 'text', CAST(strftime('%s', until) AS INTEGER), until)) AS last
            FROM (SELECT source, chips, start_time, coalesce(end_time, start_time) AS until FROM all_allocations
                  UNION ALL SELECT source, 1, until_time, until_time FROM all_observed WHERE until_time IS NOT NULL
                  UNION ALL SELECT source, chips, start_time, -- what is installed before the first job is idle, and lasts as jobs do
                                   iif((SELECT count(*) FROM all_allocations
                                        WHERE source IN (SELECT source FROM source WHERE rank < 3)) > 0,
                                       start_time, coalesce(end_time, 9e18)) FROM all_capacity)
            WHERE chips > 0 AND source IN (SELECT source FROM source WHERE rank < 3)
              AND EXISTS (SELECT 1 FROM source WHERE rank = 3)) AS h
LEFT JOIN all_capacity AS c -- its own, which ends with the last line, as an open allocation does not say
  ON c.source = a.source AND c.pool = a.pool AND c.chips = a.chips AND c.start_time = a.start_time
WHERE a.source IN (SELECT source FROM source WHERE rank = 3) AND a.chips > 0
  AND (a.start_time <= h.last AND coalesce(a.end_time, c.end_time, a.start_time + 1) > h.first OR h.first > 1e8 AND a.start_time < 1e8)
  AND NOT EXISTS (SELECT 1 FROM all_capacity AS c WHERE c.rowid IN (SELECT row FROM installed_there)
                    AND c.source = a.source AND c.pool = a.pool AND c.chips = a.chips AND c.start_time = a.start_time)
  AND iif((a.source, a.job) IN (SELECT source, was FROM elsewhere UNION ALL SELECT source, was FROM words_at_once), 0, 1)
  AND a.job NOT IN (SELECT path FROM ambiguous JOIN file USING (file)
                    UNION ALL SELECT rtrim(rtrim(path, replace(path, '/', '')), '/') FROM ambiguous JOIN file USING (file))
GROUP BY a.source;

-- A job that an export shows waiting may have run by the time that its log was copied.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT (SELECT min(path) FROM file AS f WHERE f.source = j.source), 'warning', 'unmatched_log', NULL, count(DISTINCT j.job),
       'jobs that wait in this export, first ' || min(j.job)
         || ', have logs of steps: they count with chips of their own. Export the jobs again'
FROM (SELECT DISTINCT job FROM all_allocations
      WHERE chips > 0 AND source IN (SELECT source FROM source WHERE rank = 3) AND EXISTS (SELECT 1 FROM source WHERE rank = 1)) AS a
CROSS JOIN all_jobs AS j ON j.job = a.job AND j.source IN (SELECT source FROM source WHERE rank = 1)
WHERE j.job NOT IN (SELECT job FROM all_allocations WHERE source IN (SELECT source FROM source WHERE rank = 1)) GROUP BY j.source;
--@ end
