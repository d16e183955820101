-- log/tail.sql - until when a log goes on after its last line that tells anything: what else stands there has a clock, as what a hang or a
-- failure leaves.
--
-- Reads and changes training_lines(file, line, time, is_tail), of which the last one of a file may be such a line. Makes
-- training_tail(file, time). A part of the scripts of trainers' logs, which say what the parameters are.

DROP TABLE IF EXISTS temp.training_tail;
CREATE TEMP TABLE training_tail AS SELECT file, time FROM training_lines WHERE is_tail;
DELETE FROM training_lines WHERE is_tail;
