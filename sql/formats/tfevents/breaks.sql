-- tfevents/breaks.sql - values of steps that are not simply the next ones: most are, and what follows looks at these alone.
--
-- Reads tfevents_told. Fills tfevents_breaks where it is empty, as it is once the values have been put into another order.
-- A part of tfevents.sql, which says what the parameters are and runs the parts in order.

INSERT INTO tfevents_breaks
SELECT t.rowid, t.part IS NOT p.part, t.step, p.step, t.time - p.time
FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tfevents_breaks)) CROSS JOIN tfevents_told AS t
LEFT JOIN tfevents_told AS p ON p.rowid = t.rowid - 1
WHERE t.step <= p.step OR t.part IS NOT p.part OR t.time <= p.time OR t.time - p.time > 59.9;
