-- match/said_ids.sql - the ids of schedulers' jobs that the text of some logs has, wherever in it: fills said_id(file, line, job) of scanned(file).
--
-- A part of match.sql, for logs that nothing else names, and of by_time.sql, for those that go on after their job. Other patterns look at the first lines
-- of each file, and take an id that no scheduler knows; here what people print ("Job ID: 5101") is one too, if it is that of a job.

CREATE TABLE said_before AS SELECT * FROM mpg_issues WHERE source IN (SELECT path FROM file WHERE file IN (SELECT file FROM scanned)); -- another reading forgets it
INSERT INTO said_id
SELECT f.file, l._line AS line, k.job
FROM scanned AS f CROSS JOIN file AS p ON p.file = f.file
CROSS JOIN log_trace(p.path, '(?x) \b (?i: slurm | pbs | lsb )_? (?i: job_?id ) \b \\?["\x27]? \s* [=:]? \s* \\?["\x27]? (?<id> \d [\w.]* (?: \[\d+\] [\w.]* )? )
  | ^ (?: \d+:\  )? (?: srun:\ job | salloc:\ Granted\ job\ allocation | slurmstepd:\ error:\ \*\*\*\ (?: JOB | STEP ) )\ (?<id> \d+ )
  | ^ Subject:\ Job\ (?<id> \d+ (?: \[\d+\] )? ):\ < | \b (?i: job [\ _-]? id ) \b \\?["\x27]? \s* [=:\#]{0,2} \s* \\?["\x27]? (?<id> \d{3} [\w.]* (?: \[\d+\] [\w.]* )? ) | (?<other> $ )', 'rows') AS l
CROSS JOIN key AS k ON k.key = rtrim(log_group(l._record, 'id'), '.');
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT source, severity, kind, line, count, detail FROM said_before AS s WHERE NOT EXISTS (SELECT 1 FROM mpg_issues AS i WHERE i.source = s.source AND i.kind = s.kind);
DROP TABLE said_before;
DROP TABLE scanned;
