-- unnamed.sql - programs of files that no span names: they rate nothing.
--
-- Runs after the spans of all sources are made, if a source told programs of files. Steps of trainers' logs name no program.

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(file), 'info', 'ignored_file', NULL, count(DISTINCT file),
       'no span names a program of it, such as ' || min(program) || ': it rates no step. Give spans the program, or a log the option flops'
FROM all_program_files
WHERE NOT EXISTS (SELECT 1 FROM temp.spans WHERE program IN (SELECT program FROM all_program_files))
  AND EXISTS (SELECT 1 FROM temp.spans WHERE kind IN ('step', 'batch', 'serve')) GROUP BY NULL;
