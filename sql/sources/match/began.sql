-- match/began.sql - what a log does not say and its job does: the year of its times, or when it began.
--
-- A part of match.sql, once it is known which job each log is of, or may be of: changes file. A log began with the job's pod, if its name
-- or text names that; else with the job, until its runs are known (placed.sql).

UPDATE file SET options = json_set(options, '$.year', t.year), inferred = json_set(inferred, '$.year', 'the year in which its job ran')
FROM (SELECT f.file, y.year
      FROM file AS f LEFT JOIN same_names AS k ON k.file = f.file
      JOIN (SELECT m.file, min(t.year) AS year
            FROM may_be AS m
            JOIN (SELECT job, CAST(strftime('%Y', min(start_time), 'unixepoch') AS INTEGER) AS year
                  FROM all_allocations WHERE typeof(start_time) IN ('integer', 'real') AND job IN (SELECT job FROM may_be)
                  GROUP BY job) AS t USING (job)
            GROUP BY m.file HAVING min(t.year) >= max(t.year) - 1) AS y ON y.file = coalesce(k.as_file, f.file)) AS t
WHERE t.file = file.file AND json_extract(options, '$.year') IS NULL AND EXISTS (SELECT 1 FROM json_each(missing) WHERE value = 'year');
-- The start is no option, which would make a source: most logs have their own.
UPDATE file SET start = t.start_time, inferred = json_set(inferred, '$.start', 'the start of its pod')
FROM (SELECT file, min(start_time) AS start_time
      FROM (SELECT f.file, a.start_time
            FROM file AS f CROSS JOIN run_of_words AS w ON w.file = f.file
            CROSS JOIN all_allocations AS a ON a.job = f.job AND a.task = w.words WHERE f.missing LIKE '%"start"%'
            UNION ALL SELECT f.file, a.start_time FROM file AS f CROSS JOIN all_allocations AS a ON a.job = f.job AND a.task = f.said_job
            WHERE f.missing LIKE '%"start"%')
      WHERE typeof(start_time) IN ('integer', 'real') GROUP BY file) AS t
WHERE t.file = file.file AND json_extract(options, '$.start') IS NULL;
UPDATE file SET start = iif(typeof(t.start_time) = 'text', strftime('%s', t.start_time), t.start_time),
  inferred = json_set(inferred, '$.start', 'the start of its job')
FROM (SELECT job, min(start_time) AS start_time FROM all_allocations
      WHERE job IN (SELECT job FROM file WHERE missing LIKE '%"start"%') GROUP BY job) AS t
WHERE t.job = file.job AND start IS NULL AND json_extract(options, '$.start') IS NULL
  AND EXISTS (SELECT 1 FROM json_each(missing) WHERE value = 'start');
UPDATE file SET missing = (SELECT json_group_array(value)
                           FROM json_each(missing) WHERE json_extract(options, '$.' || value) IS NULL
                             AND (value <> 'start' OR start IS NULL));
