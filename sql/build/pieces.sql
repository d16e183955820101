-- build/pieces.sql - a log that no scheduler stands beside, and of which this reading has another piece than one before.
--
-- Such a log was cut, as containers' are, or its program was started again and wrote it anew. Each piece has an allocation that is open,
-- and chips for it, so that together they would hold too many. The earlier one ends where the next begins, or when it was last seen.
-- A part of build.sql. Reads what comes in and the tables of records.sql, before added.sql adds the one to the other.

DROP TABLE IF EXISTS temp.mpg_pieces;
CREATE TEMP TABLE mpg_pieces(job TEXT PRIMARY KEY, start_us BIGINT, until_us BIGINT) WITHOUT ROWID; -- of logs that come in
INSERT INTO temp.mpg_pieces
SELECT o.job, min(o.start_us), e.until_us
FROM temp.mpg_log_ends AS e CROSS JOIN temp.mpg_others AS o ON o.job = e.job
WHERE o.record = 'allocations' AND o.chips > 0 AND EXISTS (SELECT 1 FROM temp.mpg_known)
  AND o.job NOT IN (SELECT w.job FROM temp.mpg_swapped_jobs AS w) AND o.job NOT IN (SELECT k.job FROM temp.mpg_kept_logs AS k)
GROUP BY o.job;
DROP TABLE IF EXISTS temp.mpg_other_pieces;
CREATE TEMP TABLE mpg_other_pieces AS -- that the tables have, and this reading does not tell: those whose chips are theirs alone
SELECT a.id, a.job, a.pool, a.chips, a.start_us, a.end_us, p.start_us AS piece_us, p.until_us AS piece_until_us,
       (SELECT max(o.until_us) FROM main.observed AS o WHERE o.job = a.job) AS until_us
FROM temp.mpg_pieces AS p CROSS JOIN main.allocations AS a ON a.job = p.job
WHERE a.chips > 0 AND a.id NOT IN (SELECT i.id FROM temp.mpg_ids AS i)
  AND (a.pool, a.chips, a.start_us) IN (SELECT c.pool, c.chips, c.start_us FROM main.capacity AS c);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflicting_job', NULL, count(DISTINCT o.job),
       'jobs whose log told of other chips when it was read before, the first ' || min(o.job)
         || ': each piece has its own, and the job needs the most. If one lacks the lines that tell them, give the option chips'
FROM temp.mpg_other_pieces AS o CROSS JOIN temp.mpg_others AS n ON n.job = o.job
WHERE n.record = 'allocations' AND n.chips > 0 AND n.chips <> o.chips GROUP BY NULL;
UPDATE main.capacity SET end_us = o.piece_us
FROM temp.mpg_other_pieces AS o
WHERE o.start_us < o.piece_us AND o.pool = capacity.pool AND o.chips = capacity.chips AND o.start_us = capacity.start_us
  AND coalesce(capacity.end_us, 9e18) > o.piece_us;
UPDATE main.allocations SET end_us = max(allocations.start_us, min(o.piece_us, coalesce(o.until_us, o.piece_us)))
FROM temp.mpg_other_pieces AS o
WHERE o.start_us < o.piece_us AND o.job = allocations.job AND o.start_us = allocations.start_us AND o.id = allocations.id
  AND coalesce(allocations.end_us, 9e18) > o.piece_us;
-- Or the earlier one is read later.
UPDATE temp.mpg_others SET end_us = max(mpg_others.start_us, min(o.next_us, o.piece_until_us))
FROM (SELECT job, min(start_us) AS next_us, piece_until_us FROM temp.mpg_other_pieces WHERE start_us >= piece_until_us GROUP BY job) AS o
WHERE mpg_others.record = 'allocations' AND mpg_others.job = o.job AND mpg_others.chips > 0
  AND mpg_others.start_us < o.next_us AND coalesce(mpg_others.end_us, 9e18) > o.next_us;
DROP TABLE temp.mpg_other_pieces;
DROP TABLE temp.mpg_pieces;
