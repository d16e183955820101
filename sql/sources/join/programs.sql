-- join/programs.sql - programs that jobs have otherwise under one name, as jit_train_step: each job has its own. A part of join.sql.
--
-- A file is of the job that it was found to be of (match.sql), else of that of which a folder has the name: those of logs and spans are known now.

CREATE TABLE program_told AS
SELECT coalesce(f.job, (SELECT iif(min(j.job) = max(j.job), min(j.job), NULL) FROM all_jobs AS j
                        WHERE j.source IN (SELECT source FROM source WHERE rank = 3) AND instr(f.path, '/' || j.job || '/'))) AS job, p.*
FROM all_program_files AS p JOIN file AS f ON f.path = p.file
WHERE program IN (SELECT program FROM all_program_files GROUP BY program
                  HAVING count(DISTINCT coalesce(flops, -1)) > 1 OR count(DISTINCT coalesce(bytes, -1)) > 1 OR count(DISTINCT coalesce(dtype, '')) > 1);
INSERT INTO own_program
SELECT job, program, max(coalesce(flops, -1)), flops, bytes, dtype, count(DISTINCT coalesce(flops, -1))
FROM program_told
WHERE job IS NOT NULL AND program IN (SELECT program FROM program_told GROUP BY program HAVING count(DISTINCT job) + (count(job) < count(*)) > 1)
GROUP BY job, program;
DELETE FROM all_programs WHERE program IN (SELECT program FROM own_program) AND source IN (SELECT source FROM all_program_files);
INSERT INTO all_programs(source, program, flops, bytes, dtype)
SELECT source, program, flops, bytes, dtype FROM program_told WHERE job IS NULL AND program IN (SELECT program FROM own_program);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT coalesce(:path, 'sources'), 'warning', 'conflicting_program', NULL, count(*), 'programs of one name and job differ, the first ' || min(program) || ' of job ' || min(job) || ': the greater counts'
FROM own_program WHERE versions > 1 GROUP BY NULL;
DROP TABLE program_told;
