-- build/outages.sql - outages of a reading that lacks jobs of its time count from where the tables end.
--
-- Chips of a node that is out are down but for what jobs hold of it. An export of today has the events of yesterday and not its jobs,
-- which the tables have. So what the tables know of a pool stays, up to when it was observed; this reading goes on from there. A part of
-- build.sql. Reads and changes what comes in, before retold.sql compares it.

-- Pools of Kubernetes of which both have an outage: of its objects to the second, of metrics to a sample.
DROP TABLE IF EXISTS temp.mpg_out_again;
CREATE TEMP TABLE mpg_out_again AS
SELECT DISTINCT n.pool
FROM temp.mpg_fresh AS f CROSS JOIN temp.mpg_others AS n ON n.rowid = f.row
CROSS JOIN main.outages AS o ON o.pool = n.pool AND o.kind = n.kind AND o.chips = n.chips
  AND abs(o.start_us - n.start_us) <= 600000000 AND abs(o.end_us - n.end_us) <= 600000000
WHERE n.record = 'outages';
DELETE FROM temp.mpg_out_again -- trace_sources takes as long as reading: it is asked where there is something to ask
WHERE (SELECT min(t.format = 'kube')
       FROM (SELECT 1 FROM temp.mpg_out_again LIMIT 1) CROSS JOIN temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
       WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native')) IS NOT 1;
DROP TABLE IF EXISTS temp.mpg_before;
CREATE TEMP TABLE mpg_before AS -- pools that this reading observes beyond the last event of the tables, at told_us
SELECT o.pool, max(o.until_us) AS until_us,
       max((SELECT max(c.start_us) FROM main.capacity AS c WHERE c.pool = o.pool),
           (SELECT coalesce(max(d.start_us), -9e18) FROM main.outages AS d WHERE d.pool = o.pool)) AS told_us
FROM (SELECT 1 FROM temp.mpg_others WHERE record = 'outages' AND id NOT IN (SELECT k.id FROM temp.mpg_known AS k)
        AND EXISTS (SELECT 1 FROM temp.mpg_sources AS s CROSS JOIN trace_sources(s.source) AS t
                    WHERE s.files AND s.source IS NOT NULL AND (t.feeds = 'SG' OR t.format = 'native')
                    GROUP BY NULL HAVING min(t.format IN ('slurm', 'kube')))
      LIMIT 1) CROSS JOIN main.observed AS o
WHERE o.job IS NULL AND o.pool IN (SELECT c.pool FROM main.capacity AS c) GROUP BY o.pool
HAVING told_us <= (SELECT max(i.until_us) FROM temp.mpg_others AS i
                   WHERE i.record = 'observed' AND i.pool = o.pool AND i.job IS NULL);
DROP TABLE IF EXISTS temp.mpg_lacking;
CREATE TEMP TABLE mpg_lacking AS -- what jobs held, of which this reading tells nothing
SELECT b.pool, a.start_us, coalesce(a.end_us, b.until_us) AS end_us
FROM temp.mpg_before AS b CROSS JOIN main.allocations AS a ON a.pool = b.pool
WHERE a.chips > 0 AND a.start_us < b.until_us
  AND a.id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'allocations')
  AND (a.task IS NULL OR iif((a.job, a.start_us, a.task) IN (SELECT i.job, i.start_us, i.task FROM temp.mpg_others AS i
                                                             WHERE i.record = 'allocations' AND i.task IS NOT NULL), 0, 1))
  AND (a.task IS NOT NULL
       OR iif((a.job, a.start_us) IN (SELECT i.job, i.start_us FROM temp.mpg_others AS i WHERE i.record = 'allocations'), 0, 1));
DELETE FROM temp.mpg_before
WHERE NOT EXISTS (SELECT 1 FROM temp.mpg_others AS n CROSS JOIN temp.mpg_lacking AS l
                  WHERE n.record = 'outages' AND n.pool = mpg_before.pool AND n.start_us < mpg_before.until_us
                    AND l.pool = n.pool AND l.end_us > n.start_us AND l.start_us < coalesce(n.end_us, 9e18));
-- What the tables have nothing of is told first. It stays, unless jobs that this reading lacks may have held its chips.
DROP TABLE IF EXISTS temp.mpg_first;
CREATE TEMP TABLE mpg_first AS
SELECT o.rowid AS row, o.pool, o.start_us,
       EXISTS (SELECT 1 FROM temp.mpg_lacking AS l
               WHERE l.pool = o.pool AND l.end_us > o.start_us AND l.start_us < min(coalesce(o.end_us, 9e18), b.until_us)) AS held
FROM temp.mpg_before AS b CROSS JOIN temp.mpg_others AS o ON o.pool = b.pool
WHERE o.record = 'outages' AND o.start_us <= b.told_us AND o.start_us < b.until_us AND o.id NOT IN (SELECT k.id FROM temp.mpg_known AS k)
  AND NOT EXISTS (SELECT 1 FROM main.outages AS w
                  WHERE w.pool = o.pool AND w.chips <= o.chips
                    AND (w.start_us = o.start_us OR w.end_us = o.end_us
                         OR w.kind IS o.kind AND w.chips = o.chips -- metrics tell to a sample
                           AND abs(w.start_us - o.start_us) + abs(coalesce(w.end_us - o.end_us, 0)) <= 1200000000
                         OR w.kind IS o.kind
                           AND (w.start_us > o.start_us AND w.start_us < coalesce(o.end_us, 9e18) AND coalesce(w.end_us <= o.end_us, 1)
                                OR w.start_us < o.start_us AND coalesce(w.end_us >= o.end_us, w.end_us IS NULL))
                           AND NOT EXISTS (SELECT 1 FROM temp.mpg_others AS i -- of another node
                                           WHERE i.record = 'outages' AND i.pool = w.pool AND i.start_us = w.start_us
                                             AND i.rowid <> o.rowid)));
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce((SELECT max(source) FROM temp.mpg_sources), 'main'), 'warning', 'conflict', NULL, count(*),
       'outages that this reading tells first, of pools that the tables observed then, the first of ' || min(pool)
         || ': until then they do not count, for jobs that the reading lacks may have held their chips. Build all exports at once'
FROM temp.mpg_first WHERE held GROUP BY NULL HAVING count(*) > 0;
DELETE FROM temp.mpg_first WHERE held;
DROP TABLE temp.mpg_lacking;
DELETE FROM temp.mpg_others
WHERE record = 'outages'
  AND EXISTS (SELECT 1 FROM temp.mpg_before AS b
              WHERE b.pool = mpg_others.pool AND mpg_others.start_us <= b.told_us
                AND (mpg_others.end_us <= b.until_us
                     OR (mpg_others.pool, coalesce(mpg_others.kind, ''), mpg_others.end_us)
                        IN (SELECT a.pool, coalesce(a.kind, ''), a.end_us FROM main.outages AS a)))
  AND id NOT IN (SELECT k.id FROM temp.mpg_known AS k) AND rowid NOT IN (SELECT f.row FROM temp.mpg_first AS f);
-- What lasts beyond goes on from an outage of the tables that is open, of as many chips and of its kind, else it begins there.
DROP TABLE IF EXISTS temp.mpg_lasting;
CREATE TEMP TABLE mpg_lasting AS
SELECT n.row, n.until_us, w.id AS was, w.start_us, n.end_us
FROM (SELECT o.rowid AS row, b.until_us, o.pool, kind, chips, end_us, row_number() OVER (alike ORDER BY start_us, id) AS place
      FROM temp.mpg_before AS b CROSS JOIN temp.mpg_others AS o ON o.pool = b.pool
      WHERE record = 'outages' AND o.start_us <= b.told_us AND coalesce(end_us > b.until_us, 1)
        AND o.id NOT IN (SELECT k.id FROM temp.mpg_known AS k) AND o.rowid NOT IN (SELECT f.row FROM temp.mpg_first AS f)
      WINDOW alike AS (PARTITION BY o.pool, kind, chips)) AS n
LEFT JOIN (SELECT id, pool, kind, chips, start_us, row_number() OVER (alike ORDER BY start_us, id) AS place
           FROM main.outages WHERE end_us IS NULL AND pool IN (SELECT b.pool FROM temp.mpg_before AS b)
           WINDOW alike AS (PARTITION BY pool, kind, chips)) AS w
  ON w.pool = n.pool AND w.kind IS n.kind AND w.chips = n.chips AND w.place = n.place;
UPDATE temp.mpg_others
SET start_us = coalesce(l.start_us, l.until_us), id = iif(l.end_us IS NULL, coalesce(l.was, id + l.until_us), id + l.until_us)
FROM temp.mpg_lasting AS l WHERE l.row = mpg_others.rowid;
UPDATE main.outages SET end_us = b.until_us
FROM temp.mpg_before AS b
WHERE b.pool = outages.pool AND outages.end_us IS NULL AND outages.start_us < b.until_us
  AND outages.id NOT IN (SELECT l.was FROM temp.mpg_lasting AS l WHERE l.was IS NOT NULL)
  AND outages.id NOT IN (SELECT i.id FROM temp.mpg_others AS i WHERE i.record = 'outages')
  AND EXISTS (SELECT 1 FROM temp.mpg_lasting AS l JOIN temp.mpg_others AS o ON o.rowid = l.row WHERE o.pool = b.pool AND l.was IS NULL);
DROP TABLE temp.mpg_lasting;
DROP TABLE temp.mpg_first;
DROP TABLE temp.mpg_before;
