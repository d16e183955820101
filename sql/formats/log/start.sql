-- log/start.sql - the option start of a log whose steps have a clock: that counts, and the option says nothing.
--
-- Reads training_lines(file, time, step). A part of maxtext.sql, megatron.sql, nanogpt.sql and trainer.sql, which say what the parameters
-- are.

--@ if :start IS NOT NULL
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'unused_option', NULL, 1, 'option "start": steps of this log have a clock, which counts'
FROM training_lines WHERE :start IS NOT NULL AND step IS NOT NULL AND time IS NOT NULL GROUP BY file;
--@ end
