-- tfevents/twice.sql - values of a step that has one already, which lie next to each other, are one: at the time of the last.
--
-- Changes tfevents_told and tfevents_breaks. Makes tfevents_twice, the values that are left out, and tfevents_gaps, of the values after
-- them which one comes before.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

DROP TABLE IF EXISTS temp.tfevents_twice;
CREATE TEMP TABLE tfevents_twice(id INTEGER PRIMARY KEY, kept, part, step, time, value);
INSERT INTO tfevents_twice
SELECT b.id, min(b.id) OVER (PARTITION BY b.id - nth) - 1, t.part, t.step, t.time, t.value
FROM (SELECT id, row_number() OVER (ORDER BY id) AS nth FROM tfevents_breaks WHERE step = before AND NOT begins) AS b
CROSS JOIN tfevents_told AS t ON t.rowid = b.id;
DROP TABLE IF EXISTS temp.tfevents_merged;
CREATE TEMP TABLE tfevents_merged(kept INTEGER PRIMARY KEY, last, n, time, value);
INSERT INTO tfevents_merged SELECT kept, max(id), count(*), max(time), max(value) FROM tfevents_twice GROUP BY kept;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r.file, 'info', 'repeated_record', min(t.line), sum(m.n),
       'values of a step that has one already, first ' || min(t.step) || ': they count as one, at the time of the last'
FROM tfevents_merged AS m CROSS JOIN tfevents_told AS t ON t.rowid = m.kept JOIN tfevents_runs AS r ON r.part = t.part GROUP BY r.file;
UPDATE tfevents_told SET (time, value)
  = (SELECT max(m.time, tfevents_told.time), coalesce(max(m.value, tfevents_told.value), m.value, tfevents_told.value)
     FROM tfevents_merged AS m WHERE m.kept = tfevents_told.rowid)
WHERE rowid IN (SELECT kept FROM tfevents_merged);
DELETE FROM tfevents_told WHERE rowid IN (SELECT id FROM tfevents_twice);
DROP TABLE IF EXISTS temp.tfevents_gaps;
CREATE TEMP TABLE tfevents_gaps(id INTEGER PRIMARY KEY, before);
INSERT INTO tfevents_gaps SELECT last + 1, kept FROM tfevents_merged;

DELETE FROM tfevents_breaks WHERE id
    IN (SELECT id FROM tfevents_twice UNION ALL SELECT kept FROM tfevents_merged UNION ALL SELECT id FROM tfevents_gaps);
INSERT INTO tfevents_breaks
SELECT t.rowid, t.part IS NOT p.part, t.step, p.step, t.time - p.time
FROM (SELECT kept AS id FROM tfevents_merged UNION SELECT id FROM tfevents_gaps) AS c CROSS JOIN tfevents_told AS t ON t.rowid = c.id
LEFT JOIN tfevents_gaps AS g ON g.id = c.id LEFT JOIN tfevents_told AS p ON p.rowid = coalesce(g.before, c.id - 1)
WHERE t.step <= p.step OR t.part IS NOT p.part OR t.time <= p.time OR t.time - p.time > 59.9;
DROP TABLE tfevents_merged;
