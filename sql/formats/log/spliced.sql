-- log/spliced.sql - lines in which another step, save or restore stands behind the first, as where two processes write at once.
--
-- Reads training_lines(file, line, step, spliced): the number of that step, or words of what else it is. A part of the scripts of trainers'
-- logs, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT file, 'warning', 'spliced_lines', min(line), count(*),
       'lines in which another step, save or restore stands behind the first, as where processes write at once: it is left out'
FROM training_lines WHERE spliced IS NOT NULL AND spliced IS NOT step GROUP BY file;
