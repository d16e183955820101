-- launched.sql - logs that a launcher keeps by attempt and rank are of one job, that of its run's folder.
--
-- Runs before match.sql if there is no scheduler; else, since a scheduler knows its jobs' attempts, after it for logs that fit none of its
-- jobs. torchrun makes RUN/attempt_N/RANK/stdout.log of its --log-dir: as jobs of their own, each attempt would count what it does again
-- as done twice, and each rank would hold all chips.

UPDATE file SET job = substr(path, 1, instr(path, '/attempt_') - 1),
  options = json_set(options, '$.job', substr(path, 1, instr(path, '/attempt_') - 1)),
  inferred = json_set(inferred, '$.job', 'by the folder of its launcher')
WHERE source IS NULL AND job IS NULL AND json_extract(options, '$.job') IS NULL
  AND file NOT IN (SELECT file FROM may_be UNION ALL SELECT file FROM same_names)
  AND (parameter = 'log' AND format <> 'goodput' OR parameter IN ('deepspeed', 'nemo'))
  AND (path GLOB '?*/attempt_[0-9]/[0-9]*/*' OR path GLOB '?*/attempt_[0-9][0-9]/[0-9]*/*'
       OR path GLOB '?*/attempt_[0-9][0-9][0-9]/[0-9]*/*');
