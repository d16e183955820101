-- trainer/turned.sql - records of a tracker that are not in the order of their times, as those of an export with the latest first.
--
-- Reads and changes trainer_history. Makes trainer_unordered(file, line, records); trainer_breaks, the records that do not simply go on
-- from the one before: `within` is 1 within a run in a file, `back` where time goes back, `odd` where something is missing or a text; and
-- trainer_even(id), where all records of each file go on from its first one: those first ones.
-- A part of trainer.sql, which says what the parameters are and runs the parts in order.

DROP VIEW IF EXISTS temp.trainer_broken;
CREATE TEMP VIEW trainer_broken AS
SELECT h.rowid AS id, h.file, h.run, p.file IS h.file AND p.run IS h.run AS within, coalesce(h.time < p.time, 0) AS back,
       (h.own IS NULL) <> (p.own IS NULL) AND p.rowid IS NOT NULL AS mixed,
       h.time IS NULL OR h.loss IS NULL OR h.evaluated
         OR 'text' IN (typeof(h.loss), typeof(h.own), typeof(h.number), typeof(h.plain)) AS odd, h.rank, h.plain, h.step, h.otherwise
FROM trainer_history AS h LEFT JOIN trainer_history AS p ON p.rowid = h.rowid - 1
WHERE p.file IS NOT h.file OR p.run IS NOT h.run OR h.time <= p.time OR h.step <= p.step OR h.begun - p.begun > 10
   OR h.line <= p.line OR h.line IS NULL AND p.line IS NOT NULL
   OR h.own IS NULL AND p.own IS NOT NULL OR h.own IS NOT NULL AND p.own IS NULL
   OR h.rank IS NOT NULL AND p.rank IS NOT h.rank OR h.plain IS NOT NULL AND p.plain IS NULL
   OR h.otherwise IS NOT NULL AND p.otherwise IS NULL
   OR h.time IS NULL OR h.step IS NULL OR h.loss IS NULL OR h.evaluated
   OR h.loss > 9e999 OR h.own > 9e999 OR h.number > 9e999 OR h.plain > 9e999; -- any text is greater
DROP TABLE IF EXISTS temp.trainer_breaks;
CREATE TEMP TABLE trainer_breaks AS SELECT * FROM trainer_broken;
DROP TABLE IF EXISTS temp.trainer_unordered;
CREATE TEMP TABLE trainer_unordered(file, line, records);
--@ if EXISTS (SELECT 1 FROM trainer_breaks WHERE within AND back)
-- Where times go back, steps do too, or no time is later than the one above: a run that went on from an earlier step, or a clock that was
-- set back, is neither.
DROP TABLE IF EXISTS temp.trainer_turned;
CREATE TEMP TABLE trainer_turned AS
SELECT h.file
FROM trainer_history AS h CROSS JOIN trainer_history AS p ON p.rowid = h.rowid - 1
WHERE p.file = h.file AND p.run IS h.run
GROUP BY h.file
HAVING total(h.time < p.time) > 0 AND min(coalesce(h.time >= p.time OR coalesce(h.own, h.number) < coalesce(p.own, p.number), 0))
    OR total(h.time < p.time) > 1 AND total(h.time > p.time) = 0;
DELETE FROM trainer_turned WHERE file IN (SELECT file FROM trainer_history WHERE time IS NULL);
--@ if EXISTS (SELECT 1 FROM trainer_turned)
-- Some that lie before an earlier one may be of a run that began anew: steps.sql lists them, for these files are read again before that.
-- That all lie so, or all of a rank, is an order of its own.
INSERT INTO trainer_unordered
SELECT h.file, min(h.line) FILTER (WHERE h.time < p.time), CAST(total(h.time < p.time) AS INTEGER)
FROM trainer_turned CROSS JOIN trainer_history AS h USING (file)
JOIN trainer_history AS p ON p.rowid = h.rowid - 1 AND p.file = h.file AND p.run IS h.run AND p.rank IS h.rank
GROUP BY h.file HAVING total(h.time < p.time) > 0 AND total(h.time > p.time) > 0;
DROP TABLE IF EXISTS temp.trainer_again;
CREATE TEMP TABLE trainer_again AS
SELECT h.* FROM trainer_turned CROSS JOIN trainer_history AS h USING (file) ORDER BY h.file, h.time, coalesce(h.own, h.number), h.rowid;
UPDATE trainer_again SET line = NULL;
DELETE FROM trainer_history WHERE file IN (SELECT file FROM trainer_turned);
INSERT INTO trainer_history SELECT * FROM trainer_again ORDER BY rowid;
DROP TABLE trainer_again;
DELETE FROM trainer_breaks;
INSERT INTO trainer_breaks SELECT * FROM trainer_broken;
--@ end
DROP TABLE trainer_turned;
--@ end
DROP VIEW trainer_broken;
DROP TABLE IF EXISTS temp.trainer_even;
CREATE TEMP TABLE trainer_even(id INTEGER PRIMARY KEY);
INSERT INTO trainer_even SELECT id FROM trainer_breaks -- which these are in trainer_points, too
WHERE :zone IS NULL AND NOT EXISTS (SELECT 1 FROM trainer_points)
  AND (SELECT max(rowid) FROM trainer_history) = (SELECT count(*) FROM trainer_history)
  AND (SELECT count(*) = count(DISTINCT file) FROM trainer_breaks)
  AND NOT EXISTS (SELECT 1 FROM trainer_breaks WHERE odd OR rank IS NOT NULL OR plain IS NOT NULL OR step IS NULL);
