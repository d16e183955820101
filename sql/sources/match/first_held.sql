-- match/first_held.sql - the first jobs that held chips while a log spoke which fits several that ran at once: those that its line in
-- mpg_issues names.
--
-- A part of by_time.sql: from at_once, spoke and held, and from by_time where it has the log, it fills in ambiguous.

CREATE INDEX held_in_turn ON held(who, since, job, row);
CREATE INDEX held_until ON held(who, latest, since);
CREATE INDEX held_of_job ON held(who, job);
CREATE TABLE first_held AS SELECT file, rowid AS nth, job, since FROM by_time
WHERE file IN (SELECT file FROM ambiguous WHERE jobs IS NULL);
INSERT INTO first_held
SELECT l.file, l.nth, j.value,
       (SELECT min(+h.since) FROM held AS h WHERE h.who = l.as_file AND h.job = j.value AND h.until > l.first
          AND (h.since < l.last OR h.since = l.first))
FROM spoke AS l CROSS JOIN json_each((
  SELECT json_group_array(job)
  FROM (SELECT DISTINCT job FROM held AS h
        WHERE h.who = l.as_file AND h.until > l.first AND (h.since < l.last OR h.since = l.first)
          AND h.since >= (SELECT b.since FROM held AS b
                          WHERE b.who = l.as_file AND b.latest > l.first ORDER BY b.latest, b.since LIMIT 1)
        ORDER BY h.since, h.job, h.row LIMIT 5))) AS j
WHERE l.file IN (SELECT file FROM ambiguous WHERE jobs IS NULL) AND l.file NOT IN (SELECT file FROM first_held);
CREATE INDEX first_held_of ON first_held(file);
UPDATE ambiguous SET jobs = (SELECT group_concat(job, ',')
                             FROM (SELECT job FROM first_held AS h
                                   WHERE h.file = ambiguous.file GROUP BY job ORDER BY min(since), min(nth), job LIMIT 5))
WHERE jobs IS NULL;
DROP TABLE first_held;
