-- match/said_ids.sql - the jobs that the text of some logs names, wherever in it: fills said_id(file, line, job) of scanned(file).
--
-- A part of match.sql, for logs that nothing else names, and of by_time.sql, for those that go on after their job. Other patterns look at
-- the first lines of each file, and take an id that no scheduler knows; here what people print ("Job ID: 5101") is one too, if it is that
-- of a job, and so is the pod that each line names. A task of an array has the array's id, above it or below.

-- another reading forgets it
CREATE TABLE said_before AS SELECT * FROM mpg_issues WHERE source IN (SELECT path FROM file WHERE file IN (SELECT file FROM scanned));
CREATE TABLE said_word AS
SELECT f.file, l._line AS line, rtrim(log_group(l._record, 'id'), '.') AS id, log_group(l._record, 'base') AS base,
       log_group(l._record, 'task') AS task
FROM scanned AS f CROSS JOIN file AS p ON p.file = f.file
CROSS JOIN log_trace(p.path,
                     '(?x) \b (?i: slurm | pbs | lsb )_? (?i: job_?id ) \b \\?["\x27]? \s* (?: [=:] | is\ )? \s* \\?["\x27]? (?<id> \d [\w.]* (?: \[\d+\] [\w.]* )? )
  | \b SLURM_ARRAY_JOB_ID \b \\?["\x27]? \s* [=:] \s* \\?["\x27]? (?<base> \d+ ) | \b SLURM_ARRAY_TASK_ID \b \\?["\x27]? \s* [=:] \s* \\?["\x27]? (?<task> \d+ )
  | ^ (?: \d+:\  )? (?: srun:\ job | salloc:\ Granted\ job\ allocation | slurmstepd:\ error:\ \*\*\*\ (?: JOB | STEP ) )\ (?<id> \d+ )
  | ^ Subject:\ Job\ (?<id> \d+ (?: \[\d+\] )? ):\ < | \b (?i: job [\ _-]? id ) \b \\?["\x27]? \s* [=:\#]{0,2} \s* \\?["\x27]? (?<id> \d{3} [\w.]* (?: \[\d+\] [\w.]* )? )
  | \b (?i: slurm\ job | running\ \w+\ job | requeu?e?ing\ job | (?: rdzv[-_]id | run_id ) (?= \s* [=:] ) ) [\ :=\#]+ (?<id> \d{3,} ) \b | ^ \W* (?i: job ) [\ \#]+ (?<id> \d{3,} ) \ (?i: start | begin | run )
  | ^ \[pod/ (?<id> [a-z] [a-z0-9.-]* ) / | \b (?: (?: MY_ )? POD_?NAME | HOSTNAME ) \b \\?["\x27]? \s* [=:] \s* \\?["\x27]? (?<id> [a-z] [a-z0-9.-]* [a-z0-9] ) | [{,\s] "? pod (?: _name )? "? \s* [:=] \s* " (?<id> [a-z] [a-z0-9.-]* [a-z0-9] ) "
  | (?<other> $ )',
                     'rows') AS l
WHERE coalesce(log_group(l._record, 'id'), log_group(l._record, 'base'), log_group(l._record, 'task')) IS NOT NULL;
CREATE INDEX said_word_of ON said_word(file, line);
--@ if EXISTS (SELECT 1 FROM said_word)
UPDATE said_word SET id = coalesce((SELECT b.base FROM said_word AS b
                                    WHERE b.file = said_word.file AND b.line <= said_word.line AND b.base IS NOT NULL
                                    ORDER BY b.line DESC LIMIT 1),
                                   (SELECT b.base FROM said_word AS b
                                    WHERE b.file = said_word.file AND b.line > said_word.line AND b.base IS NOT NULL
                                    ORDER BY b.line LIMIT 1)) || '_' || task
WHERE task IS NOT NULL;
INSERT INTO said_id -- where it is another than before
SELECT file, line, job
FROM (SELECT w.file, w.line, k.job, lag(k.job) OVER (PARTITION BY w.file ORDER BY w.line) AS before
      FROM said_word AS w CROSS JOIN key AS k ON k.key = w.id) WHERE job IS NOT before;
--@ end
--@ if EXISTS (SELECT 1 FROM said_before)
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM said_before AS s
WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
--@ end
DROP TABLE said_word;
DROP TABLE said_before;
DROP TABLE scanned;
