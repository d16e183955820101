-- match/held_then.sql - which of the jobs that a log may be of held chips while it spoke.
--
-- A part of by_time.sql: from log_time and may_be it makes at_once, the logs that several jobs fit which ran at once, and fills by_time,
-- but for those logs. Only if their text names jobs, or if files that may be of other jobs have their name (mixed), they have rows, too.
-- A log that may be of jobs of its own (may_be) is looked at by itself.

INSERT OR IGNORE INTO may_be -- what became known of one log alone
SELECT k.file, m.job FROM same_names AS k JOIN may_be AS m ON m.file = k.as_file WHERE k.file IN (SELECT file FROM may_be);
DELETE FROM same_names WHERE file IN (SELECT file FROM may_be);
CREATE TABLE spoke AS
SELECT l.rowid AS nth, l.file, l.source, l.was, l.found, l.first, l.last, k.as_file FROM log_time AS l JOIN same_names AS k USING (file)
WHERE l.file NOT IN (SELECT file FROM on_host);
CREATE TABLE mixed AS
SELECT source, was FROM (SELECT source, was, as_file FROM spoke UNION ALL SELECT source, was, NULL FROM log_time
                         WHERE file IN (SELECT file FROM may_be) OR file IN (SELECT file FROM on_host))
GROUP BY source, was HAVING count(DISTINCT as_file) > 1 OR count(as_file) < count(*);

CREATE TABLE asked AS
SELECT m.file AS who, m.job FROM (SELECT DISTINCT as_file FROM spoke) AS s CROSS JOIN may_be AS m ON m.file = s.as_file;
.read sql/sources/match/held_by.sql

-- Where jobs meet: from when one begins until it, or another one that holds chips then, ends. next: of the jobs but that of `latest`.
CREATE TABLE in_turn AS
SELECT who AS as_file, job, since, until FROM held
WHERE who IN (SELECT who FROM held GROUP BY who HAVING min(job) < max(job)) ORDER BY who, since, until DESC;
CREATE TABLE met AS
WITH RECURSIVE turn(nth, as_file, since, until, other, latest, job, next) AS (
  SELECT 1, as_file, since, until, NULL, until, job, NULL FROM in_turn WHERE rowid = 1
  UNION ALL
  SELECT nth + 1, h.as_file, h.since, h.until,
         CASE WHEN h.as_file <> t.as_file THEN NULL WHEN h.job = t.job THEN t.next ELSE t.latest END,
         iif(h.as_file <> t.as_file, h.until, max(t.latest, h.until)),
         iif(h.as_file <> t.as_file OR h.until > t.latest, h.job, t.job),
         CASE WHEN h.as_file <> t.as_file THEN NULL WHEN h.job = t.job THEN t.next WHEN h.until > t.latest THEN t.latest
              ELSE max(h.until, coalesce(t.next, h.until)) END
  FROM turn AS t CROSS JOIN in_turn AS h ON h.rowid = t.nth + 1
)
SELECT as_file, since, min(until, other) AS until, max(min(until, other)) OVER (PARTITION BY as_file ORDER BY since) AS latest
FROM turn WHERE other > since;
CREATE INDEX met_of ON met(as_file, since);
CREATE TABLE at_once AS
SELECT DISTINCT file FROM spoke AS l
WHERE iif((source, was) IN (SELECT source, was FROM mixed), 0, 1)
  AND (coalesce((SELECT m.latest FROM met AS m WHERE m.as_file = l.as_file AND m.since < l.last ORDER BY m.since DESC LIMIT 1) > l.first, 0)
       OR EXISTS (SELECT 1 FROM met AS m WHERE m.as_file = l.as_file AND m.since = l.first AND m.until > l.first));
INSERT INTO by_time
SELECT file, source, was, since, until, job, found
FROM (SELECT l.rowid AS nth, l.file, l.source, l.was, a.start_time AS since, coalesce(a.end_time, 9e18) AS until, m.job, l.found,
             a.rowid AS row
      FROM log_time AS l JOIN may_be AS m ON m.file = l.file JOIN all_allocations AS a ON a.job = m.job
      WHERE a.chips > 0 AND a.source IN (SELECT source FROM source WHERE rank = 1) AND a.job IN (SELECT job FROM may_be)
        AND (a.start_time < l.last OR a.start_time = l.first) AND coalesce(a.end_time, 9e18) > l.first
        AND l.file NOT IN (SELECT file FROM on_host)
      UNION ALL
      SELECT l.nth, l.file, l.source, l.was, h.since, h.until, h.job, l.found, h.row
      FROM spoke AS l JOIN (SELECT DISTINCT who, longest FROM held) AS n ON n.who = l.as_file
      CROSS JOIN held AS h ON h.who = n.who AND h.longest = n.longest
        AND h.since BETWEEN l.first - n.longest - 1 AND max(l.first, l.last)
      WHERE (h.since < l.last OR h.since = l.first) AND h.until > l.first
        AND (l.file NOT IN (SELECT file FROM at_once) OR l.file IN (SELECT file FROM said_id)
             OR (l.source, l.was) IN (SELECT source, was FROM mixed)))
ORDER BY nth, job, row;
DROP TABLE in_turn;
DROP TABLE met;
