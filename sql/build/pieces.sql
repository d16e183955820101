-- build/pieces.sql - a log that no scheduler stands beside, and of which this reading has another piece than one before.
--
-- Such a log was cut, as containers' are, its program was started again and wrote it anew, or it is exported by days. Each piece has
-- attempts from 1 on, the last of them open, and chips for them, so that together they would hold too many. The earlier piece ends where
-- the next begins, or when it was last seen. The next goes on with its last attempt, unless it begins with a set-up or over ten minutes
-- later.
-- A part of build.sql. Reads what comes in and the tables of records.sql, before added.sql adds the one to the other. Fills
-- mpg_pieces.

-- Jobs of logs are those that are observed by themselves, now or before; what was submitted is none.
INSERT INTO temp.mpg_pieces
SELECT o.job, min(o.start_us), max(coalesce(e.until_us, o.end_us, o.start_us)), max(o.attempt)
FROM (SELECT job FROM temp.mpg_log_ends UNION SELECT job FROM main.observed WHERE job IS NOT NULL) AS l
CROSS JOIN temp.mpg_others AS o ON o.job = l.job LEFT JOIN temp.mpg_log_ends AS e ON e.job = o.job
WHERE o.record = 'allocations' AND o.chips > 0 AND EXISTS (SELECT 1 FROM temp.mpg_known)
  AND o.job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w) AND o.job NOT IN (SELECT k.job FROM temp.mpg_kept_logs AS k)
  AND o.job NOT IN (SELECT j.job FROM main.jobs AS j WHERE j.submit_us IS NOT NULL)
  AND o.job NOT IN (SELECT j.job FROM temp.mpg_others AS j WHERE j.record = 'jobs' AND j.submit_us IS NOT NULL)
GROUP BY o.job HAVING count(*) > (SELECT count(*) FROM main.allocations AS a
                                  WHERE a.job = o.job AND a.id IN (SELECT i.id FROM temp.mpg_ids AS i));
DROP TABLE IF EXISTS temp.mpg_other_pieces;
CREATE TEMP TABLE mpg_other_pieces AS -- that the tables have, and this reading does not tell: those whose chips are theirs alone
SELECT a.id, a.job, a.pool, a.chips, a.attempt, a.start_us, a.end_us, p.start_us AS piece_us, p.until_us AS piece_until_us, p.attempts,
       (SELECT max(o.until_us) FROM main.observed AS o WHERE o.job = a.job) AS until_us
FROM temp.mpg_pieces AS p CROSS JOIN main.allocations AS a ON a.job = p.job
WHERE a.chips > 0 AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
  AND ((a.pool, a.chips, a.start_us) IN (SELECT c.pool, c.chips, c.start_us FROM main.capacity AS c)
       OR a.pool NOT IN (SELECT c.pool FROM main.capacity AS c WHERE c.pool IS NOT NULL));
DELETE FROM temp.mpg_pieces WHERE job NOT IN (SELECT o.job FROM temp.mpg_other_pieces AS o);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflicting_job', NULL, count(DISTINCT o.job),
       'jobs whose log told of other chips when it was read before, the first ' || min(o.job)
         || ': each piece has its own, and the job needs the most. If one lacks the lines that tell them, give the option chips'
FROM temp.mpg_other_pieces AS o CROSS JOIN temp.mpg_others AS n ON n.job = o.job
WHERE n.record = 'allocations' AND n.chips > 0 AND n.chips <> o.chips GROUP BY NULL;
-- Whether the next piece goes on, and where it begins.
DROP TABLE IF EXISTS temp.mpg_next_piece;
CREATE TEMP TABLE mpg_next_piece(job TEXT PRIMARY KEY, start_us BIGINT, until_us BIGINT, attempts BIGINT, comes_in BOOLEAN) WITHOUT ROWID;
INSERT INTO temp.mpg_next_piece
SELECT job, piece_us, min(coalesce(until_us, piece_us), piece_us), max(attempt), 1
FROM temp.mpg_other_pieces WHERE start_us < piece_us GROUP BY job;
INSERT OR IGNORE INTO temp.mpg_next_piece
SELECT job, min(start_us), piece_until_us, attempts, 0 FROM temp.mpg_other_pieces WHERE start_us >= piece_until_us GROUP BY job;
DROP TABLE IF EXISTS temp.mpg_set_ups;
CREATE TEMP TABLE mpg_set_ups AS
SELECT s.job FROM (SELECT 1 FROM temp.mpg_next_piece WHERE comes_in LIMIT 1) CROSS JOIN temp.mpg_spans AS s
JOIN temp.mpg_next_piece AS n ON n.job = s.job AND n.comes_in
WHERE s.kind IN ('init', 'prep') AND s.start_us BETWEEN n.start_us AND n.start_us + 60000000
UNION
SELECT s.job FROM temp.mpg_next_piece AS n CROSS JOIN main.spans AS s ON s.job = n.job
WHERE NOT n.comes_in AND s.kind IN ('init', 'prep') AND s.start_us BETWEEN n.start_us AND n.start_us + 60000000;
UPDATE temp.mpg_next_piece SET until_us = start_us, attempts = attempts - 1
WHERE start_us - until_us <= 600000000 AND job NOT IN (SELECT s.job FROM temp.mpg_set_ups AS s);
DROP TABLE temp.mpg_set_ups;
-- It comes in.
UPDATE main.capacity SET end_us = t.until_us
FROM (SELECT c.id, n.until_us, -- of jobs that began together that whose log ended then
             row_number() OVER (PARTITION BY o.id ORDER BY abs(coalesce(c.end_us, 9e18) - o.until_us), c.id) AS nth
      FROM temp.mpg_other_pieces AS o JOIN temp.mpg_next_piece AS n ON n.job = o.job AND n.comes_in
      JOIN main.capacity AS c ON c.pool = o.pool AND c.chips = o.chips AND c.start_us = o.start_us
      WHERE o.start_us < n.start_us AND coalesce(o.end_us, 9e18) > n.start_us) AS t
WHERE capacity.id = t.id AND nth = 1;
UPDATE main.allocations SET end_us = max(allocations.start_us, n.until_us)
FROM temp.mpg_other_pieces AS o JOIN temp.mpg_next_piece AS n ON n.job = o.job AND n.comes_in
WHERE o.start_us < n.start_us AND o.job = allocations.job AND o.start_us = allocations.start_us AND o.id = allocations.id
  AND coalesce(allocations.end_us, 9e18) > n.start_us;
UPDATE temp.mpg_others SET attempt = mpg_others.attempt + n.attempts
FROM temp.mpg_next_piece AS n
WHERE n.comes_in AND mpg_others.record = 'allocations' AND mpg_others.job = n.job AND mpg_others.chips > 0;
-- Or the tables have it.
UPDATE temp.mpg_others SET end_us = n.until_us
FROM temp.mpg_next_piece AS n JOIN temp.mpg_others AS a ON a.record = 'allocations' AND a.job = n.job AND a.chips > 0
WHERE NOT n.comes_in AND a.start_us < n.start_us AND coalesce(a.end_us, 9e18) > n.start_us
  AND mpg_others.record = 'capacity' AND mpg_others.pool = a.pool AND mpg_others.chips = a.chips AND mpg_others.start_us = a.start_us;
UPDATE temp.mpg_others SET end_us = max(mpg_others.start_us, n.until_us)
FROM temp.mpg_next_piece AS n
WHERE NOT n.comes_in AND mpg_others.record = 'allocations' AND mpg_others.job = n.job AND mpg_others.chips > 0
  AND mpg_others.start_us < n.start_us AND coalesce(mpg_others.end_us, 9e18) > n.start_us;
UPDATE main.allocations SET attempt = allocations.attempt + n.attempts
FROM temp.mpg_other_pieces AS o JOIN temp.mpg_next_piece AS n ON n.job = o.job AND NOT n.comes_in
WHERE o.start_us >= n.start_us AND o.job = allocations.job AND o.start_us = allocations.start_us AND o.id = allocations.id;
DROP TABLE temp.mpg_next_piece;
DROP TABLE temp.mpg_other_pieces;
