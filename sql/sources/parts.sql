-- parts.sql - which files are parts of one log by their names, as programs that rotate logs call them.
--
-- Runs after the files are recognised. "train.log.2.gz" and "train-20261101.log" are of "train.log": the highest number first, dates in
-- their order, "train.log" itself last. The steps in them say whether they are parts (formats/log/rotated.sql).

--@ if (SELECT count(*) > 1 FROM file)
INSERT INTO log_name
WITH ended AS MATERIALIZED ( -- without what packed it, and with its ending apart
  SELECT file, unpacked <> path AS is_packed,
         iif(unpacked GLOB '*.log' OR unpacked GLOB '*.out' OR unpacked GLOB '*.err'
             OR unpacked GLOB '*.txt', substr(unpacked, -4), '') AS ending, unpacked
  FROM (SELECT file, CASE WHEN path GLOB '*.gz' OR path GLOB '*.xz' THEN substr(path, 1, length(path) - 3)
                          WHEN path GLOB '*.zst' OR path GLOB '*.bz2' THEN substr(path, 1, length(path) - 4) ELSE path END AS unpacked, path
        FROM file)
),
stem AS MATERIALIZED (SELECT file, is_packed, unpacked, ending, substr(unpacked, 1, length(unpacked) - length(ending)) AS stem FROM ended),
behind AS MATERIALIZED ( -- the numbers at its end: a date, or others before one, as an id: "-1030-20261101"
  SELECT *, rtrim(stem, '0123456789') AS before, substr(stem, 1 + length(rtrim(stem, '0123456789-_T:.'))) AS numbers FROM stem
),
tail AS MATERIALIZED (
  SELECT *, iif(numbers GLOB '[-._]20[0-9][0-9][01]*' OR numbers GLOB '[-._]20[0-9][0-9][-._][01]*', numbers,
                substr(later, min(instr(later || '-20', '-20'), instr(later || '_20', '_20'), instr(later || '.20', '.20')))) AS dated
  FROM (SELECT *, substr(numbers, 2) AS later FROM behind)
),
told AS MATERIALIZED (
  SELECT *, substr(stem, 1, length(stem) - length(dated)) AS undated, substr(stem, 1 + length(before)) AS number,
         replace(replace(replace(replace(replace(dated, '-', ''), '_', ''), 'T', ''), ':', ''), '.', '') AS digits FROM tail
)
SELECT file,
       CASE WHEN is_dated THEN undated || ending WHEN is_numbered THEN substr(before, 1, length(before) - 1) || ending
            ELSE unpacked END AS name,
       CASE WHEN is_dated THEN '1' || digits WHEN is_numbered THEN '2' || printf('%04d', 9998 - number) WHEN is_packed THEN '29999'
            ELSE '3' END AS place
FROM (SELECT *, dated GLOB '[-._]20[0-9][0-9]*' AND digits GLOB '20[0-9][0-9][01][0-9][0-3][0-9]*' AS is_dated,
             before GLOB '*?.' AND length(number) BETWEEN 1 AND 3 AS is_numbered
      FROM told);
--@ end
CREATE INDEX log_name_of ON log_name(name);

-- A part that holds no line of a step is of no known format alone. It is of the format of the others, if they are of one.
--@ if EXISTS (SELECT 1 FROM file WHERE format IS NULL)
UPDATE file SET format = o.format, parameter = o.parameter, certainty = 'likely', reason = 'by its name a part of ' || o.path,
  missing = o.missing
FROM (SELECT n.file AS file, min(f.format) AS format, min(f.parameter) AS parameter, min(f.path) AS path, min(f.missing) AS missing
      FROM file AS u CROSS JOIN log_name AS n ON n.file = u.file CROSS JOIN log_name AS p ON p.name = n.name
      CROSS JOIN file AS f ON f.file = p.file
      WHERE u.format IS NULL AND (u.reason = 'no known format begins like this'
                                  OR u.reason GLOB 'no file of the format *, which the option *'
                                  OR u.reason GLOB 'a log of steps of no trainer *')
        AND f.format IN ('maxtext', 'megatron', 'torchtitan', 'nanogpt', 'trainer')
        AND f.parameter IN ('log', 'deepspeed', 'nemo')
      GROUP BY n.file HAVING min(f.parameter) = max(f.parameter) AND min(f.format) = max(f.format)) AS o
WHERE o.file = file.file;
--@ end
-- Their lines have the clock of the others: that it names no year the first part may not show.
--@ if EXISTS (SELECT 1 FROM file WHERE missing LIKE '%"year"%')
UPDATE file SET missing = json_insert(missing, '$[#]', 'year')
WHERE missing NOT LIKE '%"year"%' AND EXISTS (
  SELECT 1 FROM log_name AS n CROSS JOIN log_name AS p ON p.name = n.name CROSS JOIN file AS f ON f.file = p.file
  WHERE n.file = file.file AND f.format = file.format AND f.parameter = file.parameter AND f.missing LIKE '%"year"%');
--@ end
-- Weights & Biases keeps a run's output, and what Slurm told the run, in one folder.
--@ if EXISTS (SELECT 1 FROM file WHERE format IS NULL AND path GLOB '*/wandb-metadata.json')
UPDATE file SET said_job = m.said_job
FROM (SELECT rtrim(path, replace(path, '/', '')) AS folder, min(said_job) AS said_job
      FROM file WHERE format IS NULL AND path GLOB '*/wandb-metadata.json' AND said_job IS NOT NULL GROUP BY folder) AS m
WHERE file.said_job IS NULL AND file.format IS NOT NULL AND rtrim(file.path, replace(file.path, '/', '')) = m.folder;
--@ end
UPDATE file SET said_job = NULL, said_task = NULL WHERE format IS NULL;
