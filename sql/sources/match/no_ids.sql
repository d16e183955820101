-- match/no_ids.sql - numbers in names that are no ids of jobs: the year of a date, what a program counts or sets ("step_500", "seed=42"), a
-- rank, and a process' id as glog ("train.n1.ann.log.INFO.20261101-000100.4711") and Ray ("worker-HEX-HEX-4711.out") write it.
--
-- A part of match.sql: deletes them from run_of_words. A number within a job's own name is of a run of several words, which stays, and so
-- does the id behind such a name ("my-tokens_5101.out").

DELETE FROM run_of_words
WHERE words NOT GLOB '*[A-Za-z]*'
  AND (rtrim(before, '-_.=#:+ ') IN ('step', 'steps', 'iter', 'iters', 'iteration', 'epoch', 'checkpoint', 'ckpt', 'seed', 'pid', 'port',
                                     'rank', 'bs', 'gbs', 'mbs', 'size', 'seq', 'seqlen', 'len', 'length', 'lr', 'dim', 'hidden',
                                     'layers', 'heads', 'tokens')
       AND NOT EXISTS (SELECT 1 FROM key AS k CROSS JOIN job_name AS n ON n.job = k.job
                       WHERE k.key = run_of_words.words AND lower(n.name) GLOB '*' || rtrim(run_of_words.before, '-_.=#:+ '))
       OR words NOT GLOB '*[^0-9]*' AND EXISTS (
  SELECT 1 FROM place AS p WHERE p.file = run_of_words.file AND p.level = run_of_words.level
    AND (words GLOB '20[0-9][0-9]' AND p.name GLOB '*' || words || '[-_.][01][0-9][-_.][0-3][0-9]*'
         OR p.name GLOB '*.log.[IWEF][NRA]*.20[0-9][0-9]*-[0-9]*.' || words
         OR p.name GLOB 'worker-[0-9a-f]*-[0-9a-f]*-' || words || '.*')));
