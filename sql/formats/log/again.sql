-- log/again.sql - lines of other hosts, whose rowids are in training_again(id), are left out of training_lines(file, line).
--
-- A part of megatron.sql and torchtitan.sql, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'info', 'parallel_lines', min(line), count(*), 'lines that repeat one above at once: left out, as those of other hosts'
FROM training_lines WHERE rowid IN (SELECT id FROM training_again) GROUP BY file;
DELETE FROM temp.training_lines WHERE rowid IN (SELECT id FROM training_again);
DROP TABLE training_again;
