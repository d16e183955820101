-- build/kept_ends.sql - ends of allocations that the tables have, and this reading does not take back.
--
-- Reads mpg_retold, mpg_was and mpg_seen of retold.sql, of which it is a part; changes mpg_others.

-- An end that came after this reading, and one that an outcome proves, where this reading has the job as running in an export before and
-- lacks the export that told the end.
UPDATE temp.mpg_others
SET end_us = e.end_us, outcome = e.outcome
FROM (SELECT r.now AS id, w.end_us, w.outcome,
             w.end_us >= (SELECT max(i.until_us) FROM temp.mpg_seen AS i WHERE i.pool = r.pool_now AND i.job IS NULL) AS is_later
      FROM temp.mpg_retold AS r CROSS JOIN temp.mpg_was AS w ON w.record = r.record AND w.id = r.was
      WHERE r.record = 'allocations') AS e
WHERE e.id = mpg_others.id AND mpg_others.record = 'allocations'
  AND (mpg_others.end_us IS NULL AND e.is_later OR mpg_others.outcome IS NULL AND mpg_others.end_us < e.end_us AND e.outcome IS NOT NULL);
