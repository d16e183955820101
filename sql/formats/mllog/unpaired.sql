-- mllog/unpaired.sql - begins whose end, and ends whose begin, a log lacks, or has at a time that cannot be.
--
-- Reads mlperf_edges, mlperf_runs and mlperf_survey. A part of mllog.sql, which says what the parameters are.

-- Ranks tell one begin or end with one number: of two numbers in a row something lies between. The last block of a run may be open, but not
-- an evaluation after which a block begins.
-- (Most begins and ends come in turns: those next to one that does not are looked at.)
INSERT INTO mpg_issues(source, severity, kind, count, detail)
WITH odd AS MATERIALIZED (
  SELECT e.rowid AS id FROM mlperf_edges AS e LEFT JOIN mlperf_edges AS p ON p.rowid = e.rowid - 1
  WHERE p.starts IS e.starts OR p.run IS NOT e.run OR p.kind IS NOT e.kind
),
near AS MATERIALIZED (SELECT id FROM odd UNION SELECT id - 1 FROM odd UNION SELECT max(rowid) FROM mlperf_edges)
SELECT path, 'warning', 'missing_end', unpaired,
       'begins without an end, or ends without a begin, as of "' || kind
         || '", or their times are not in order: what lies between is not known'
FROM (SELECT e.run, count(*) AS unpaired, min(e.kind) AS kind
      FROM near CROSS JOIN mlperf_edges AS e ON e.rowid = near.id
      LEFT JOIN mlperf_edges AS p ON p.rowid = e.rowid - 1 AND p.run = e.run AND p.kind = e.kind
      LEFT JOIN mlperf_edges AS n ON n.rowid = e.rowid + 1 AND n.run = e.run AND n.kind = e.kind
      LEFT JOIN (SELECT run, max(time_ms) AS last_ms FROM mlperf_edges WHERE kind IN ('block', 'epoch') AND starts GROUP BY run) AS b
        ON b.run = e.run
      WHERE iif(e.starts, n.starts AND n.number IS NOT e.number OR n.run IS NULL AND e.kind = 'eval' AND b.last_ms > e.time_ms,
                p.run IS NULL OR NOT p.starts AND p.number IS NOT e.number)
      GROUP BY e.run) AS u
JOIN (SELECT job, row_number() OVER (ORDER BY job) AS run FROM mlperf_runs) AS r ON r.run = u.run
JOIN mlperf_survey AS s ON s.file = r.job ORDER BY job;
