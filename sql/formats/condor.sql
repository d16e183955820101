-- condor.sql - from HTCondor's jobs as JSON (condor_history -json, condor_q -json) to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :condor sure (?s)\A\s*\[?\s*\{(?=.{0,60000}"ClusterId"\s*:)(?=.{0,60000}"(?:ProcId|JobStatus|QDate)"\s*:)
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :condor fixtures/condor/history.json
--     .read sql/formats/condor.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters: :condor is a path, glob or folder of ClassAds as JSON, an array or an object a line; :chips is what a chip is, 'gpus' (unless
-- given) or 'cpus'.
--
-- Makes the TEMP tables jobs, allocations, observed and aliases. docs/formats/batch.md has the rules.

-- ---- 1. The input ----

CREATE TEMP TABLE IF NOT EXISTS condor_ads AS
SELECT CAST(json_extract(record, '$.ClusterId') || '.' || coalesce(json_extract(record, '$.ProcId'), 0) AS TEXT) AS job,
       json_type(record, '$.ProcId') IS NULL AND json_type(record, '$.JobMaterializeLimit') IS NOT NULL AS factory,
       substr(json_extract(record, '$.GlobalJobId'), 1, instr(json_extract(record, '$.GlobalJobId'), '#') - 1) AS schedd,
       json_extract(record, '$.ClusterId') AS cluster, json_extract(record, '$.Owner') AS user,
       coalesce(json_extract(record, '$.AcctGroup'), json_extract(record, '$.AccountingGroup')) AS account,
       coalesce(json_extract(record, '$.JobBatchName'), json_extract(record, '$.Cmd')) AS name,
       json_extract(record, '$.JobPrio') AS priority,
       json_extract(record, '$.JobStatus') AS status, nullif(json_extract(record, '$.QDate'), 0) AS submitted,
       nullif(json_extract(record, '$.JobCurrentStartDate'), 0) AS started,
       CASE WHEN json_type(record, '$.JobCurrentStartDate') IS NULL THEN nullif(json_extract(record, '$.JobStartDate'), 0) END AS sole_start,
       nullif(json_extract(record, '$.JobStartDate'), 0) AS first_started, nullif(json_extract(record, '$.CompletionDate'), 0) AS completed,
       nullif(json_extract(record, '$.EnteredCurrentStatus'), 0) AS entered,
       nullif(json_extract(record, '$.EpochWriteDate'), 0) AS written, nullif(json_extract(record, '$.ServerTime'), 0) AS asked_at,
       coalesce(json_extract(record, '$.NumJobStarts'), json_extract(record, '$.NumShadowStarts')) AS starts,
       json_extract(record, '$.ExitCode') AS exit_code, json_extract(record, '$.ExitBySignal') AS by_signal,
       json_extract(record, '$.HoldReasonCode') AS hold,
       CASE WHEN json_extract(record, '$.JobStatus') = 2
              THEN coalesce(json_extract(record, '$.RemoteHost'), json_extract(record, '$.LastRemoteHost'))
            ELSE coalesce(json_extract(record, '$.LastRemoteHost'), json_extract(record, '$.RemoteHost')) END AS host,
       json_extract(record, '$.GPUs_DeviceName') AS gpu,
       CASE WHEN json_extract(record, '$.AssignedGPUs') NOT LIKE '%undefined%'
              THEN nullif(json_extract(record, '$.AssignedGPUs'), '') END AS devices,
       min(coalesce(json_extract(record, '$.AllowedExecuteDuration'), 9e18),
           coalesce(json_extract(record, '$.AllowedJobDuration'), 9e18)) AS allowed, json_extract(record, '$.JobUniverse') AS universe,
       json_extract(record, '$.LastJobStatus') AS last_status, nullif(json_extract(record, '$.LastVacateTime'), 0) AS vacated,
       nullif(json_extract(record, '$.LastRemoteWallClockTime'), 0) AS last_wall,
       nullif(json_extract(record, '$.RemoteWallClockTime'), 0) AS wall,
       nullif(json_extract(record, '$.CumulativeSuspensionTime'), 0) AS suspended,
       CASE WHEN :chips IN ('cpus', 'ncpus', 'ncores', 'slots')
              THEN coalesce(json_extract(record, '$.CpusProvisioned'), json_extract(record, '$.RequestCpus'))
            ELSE coalesce(CASE WHEN json_type(record, '$.GPUsProvisioned') IN ('integer', 'real')
                                 THEN json_extract(record, '$.GPUsProvisioned') END,
                          CASE WHEN json_extract(record, '$.AssignedGPUs') <> ''
                                 AND json_extract(record, '$.AssignedGPUs') NOT LIKE '%undefined%'
                                 THEN 1 + length(json_extract(record, '$.AssignedGPUs'))
                                 - length(replace(json_extract(record, '$.AssignedGPUs'), ',', '')) END,
                          CASE WHEN json_type(record, '$.RequestGPUs') IN ('integer', 'real')
                                 THEN json_extract(record, '$.RequestGPUs') END,
                          -- names of attributes are of any case, and these people write
                          CASE WHEN json_type(record, '$.RequestGPUs') IS NULL THEN
                            CAST(coalesce(json_extract(record, '$.RequestGpus'), json_extract(record, '$.requestgpus'),
                                          json_extract(record, '$.requestGPUs'), json_extract(record, '$.REQUESTGPUS')) AS REAL) END) END
         * CASE WHEN json_extract(record, '$.JobUniverse') = 11
                  THEN max(1, coalesce(json_extract(record, '$.CurrentHosts'), 0), coalesce(json_extract(record, '$.MinHosts'), 1))
                ELSE 1 END AS chips,
       json_type(record, '$.RequestGPUs') IN ('text', 'object') AS expression, json_extract(record, '$.Iwd') AS folder,
       json_extract(record, '$.Out') AS output, json_extract(record, '$.Err') AS errors, _file, _line
FROM jsonl_trace(mpg_required(:condor, ':condor'));

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_record', min(_line), count(*),
       'ads of clusters that make jobs later, such as ' || min(cluster) || ': what they are yet to make is not known'
FROM condor_ads WHERE factory GROUP BY _file;
DELETE FROM condor_ads WHERE factory;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(_line), count(*),
       'jobs that have no slot, such as ' || min(job) || ' (universe scheduler, grid or local): their GPUs are not of this pool'
FROM condor_ads WHERE universe IN (7, 9, 12) AND chips > 0 GROUP BY _file;
UPDATE condor_ads SET chips = NULL WHERE universe IN (7, 9, 12);
-- Of attributes that were asked for by name the start of the last run may lack: of a job that started once it is the first.
UPDATE condor_ads SET started = sole_start
WHERE sole_start IS NOT NULL AND (starts = 1 OR starts IS NULL AND completed <= sole_start + wall + 300);
-- The ad of a run has the state of a job that runs, even of one that completed.
UPDATE condor_ads SET status = iif(completed >= started, 4, 2) WHERE written IS NOT NULL AND status IN (2, 6, 7);
UPDATE condor_ads SET completed = NULL WHERE written IS NOT NULL AND status = 2;
-- A number that is given anew, or by another schedd, is another job's.
UPDATE condor_ads SET job = job || '#' || nth
FROM (SELECT rowid AS row, dense_rank() OVER (PARTITION BY job ORDER BY submitted, schedd) AS nth FROM condor_ads
      WHERE job IN (SELECT job FROM condor_ads WHERE submitted IS NOT NULL
                    GROUP BY job HAVING max(submitted) > min(submitted) OR (count(schedd) = count(*) AND max(schedd) > min(schedd)))) AS n
WHERE n.row = condor_ads.rowid AND nth > 1;

DROP TABLE IF EXISTS temp.condor_far;
CREATE TEMP TABLE condor_far AS
WITH middle AS (SELECT mpg_median(CAST(submitted / 31556952 AS INTEGER)) AS year FROM condor_ads)
SELECT a.rowid AS row, job, _file, _line FROM condor_ads AS a, middle
WHERE max(abs(coalesce(submitted / 31556952 - year, 0)), abs(coalesce(started / 31556952 - year, 0)),
          abs(coalesce(completed / 31556952 - year, 0)), abs(coalesce(entered / 31556952 - year, 0)),
          abs(coalesce(written / 31556952 - year, 0)), abs(coalesce(first_started / 31556952 - year, 0))) > 11;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'impossible_time', min(_line), count(*),
       'a time of job ' || coalesce(job, '?') || ' is more than ten years from the middle one: it is left out'
FROM condor_far GROUP BY _file;
DELETE FROM condor_ads WHERE rowid IN (SELECT row FROM condor_far);
DROP TABLE condor_far;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'missing_field', min(_line), count(*),
       'job ' || coalesce(job, '?') || ' lacks its ' || field || ': it counts as far as it tells'
FROM (SELECT _file, _line, job,
             CASE WHEN job IS NULL THEN 'ClusterId' WHEN submitted IS NULL THEN 'QDate' WHEN status IS NULL THEN 'JobStatus'
                  WHEN (status IN (2, 4) OR completed IS NOT NULL OR starts > 0) AND started IS NULL
                    THEN 'JobCurrentStartDate' || iif(status = 4, ' (how long it waited and ran is not known)', '')
                  WHEN status = 4 AND completed IS NULL THEN 'CompletionDate'
                  WHEN status = 4 AND exit_code IS NULL AND NOT coalesce(by_signal, 0) THEN 'ExitCode'
                  WHEN started IS NOT NULL AND status IN (1, 3, 5) AND entered IS NULL THEN 'EnteredCurrentStatus'
                  WHEN chips IS NULL AND max(chips IS NOT NULL) OVER ()
                    AND :chips IN ('cpus', 'ncpus', 'ncores', 'slots') THEN 'CpusProvisioned' END AS field FROM condor_ads)
WHERE field IS NOT NULL GROUP BY _file, field;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'unknown_state', min(_line), count(*),
       'states of jobs that HTCondor does not have: ' || group_concat(DISTINCT status)
FROM condor_ads WHERE status NOT IN (1, 2, 3, 4, 5, 6, 7) GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'uncounted_resource', min(_line), count(*),
       'RequestGPUs of job ' || min(job) || ' and others is an expression: they count if GPUsProvisioned or AssignedGPUs says how many'
FROM condor_ads
WHERE expression AND chips IS NULL GROUP BY _file;
-- Answers of condor_q that were appended to one file: each was asked for at its own time.
ALTER TABLE condor_ads ADD COLUMN listing DEFAULT 1;
UPDATE condor_ads SET listing = n.nth
FROM (SELECT row, 1 + sum(coalesce(asked_at > before + 60, 0)) OVER (PARTITION BY _file, schedd ORDER BY row) AS nth
      FROM (SELECT rowid AS row, _file, schedd, asked_at, lag(asked_at) OVER (PARTITION BY _file, schedd ORDER BY rowid) AS before
            FROM condor_ads WHERE asked_at IS NOT NULL)) AS n
WHERE n.row = condor_ads.rowid AND nth > 1;
-- The ad of a job tells its last run; condor_history -epochs has one for each.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'earlier_attempts', min(_line), sum(starts - told),
       'earlier runs of job ' || min(job) || ' and others, without times: export condor_history -epochs -json'
FROM (SELECT min(_file) AS _file, min(_line) AS _line, job, max(starts) AS starts, count(DISTINCT started) AS told
      FROM condor_ads WHERE chips > 0 GROUP BY job) WHERE starts > told AND told > 0 GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'repeated_record', min(_line), count(*),
       'ads of job ' || min(job) || ' and others that one file has more than once: they count once'
FROM (SELECT _file, _line, job, row_number() OVER (PARTITION BY _file, listing, job, started, written ORDER BY rowid) AS nth
      FROM condor_ads)
WHERE nth > 1 GROUP BY _file;

-- What runs or waits in condor_q, and a later one of its schedd has no more, is over, and its last ad is not there: until it was last seen.
ALTER TABLE condor_ads ADD COLUMN gone;
DROP TABLE IF EXISTS temp.condor_asked;
CREATE TEMP TABLE condor_asked AS SELECT schedd, max(first) AS last
FROM (SELECT schedd, min(asked_at) AS first FROM condor_ads
      WHERE schedd IS NOT NULL AND asked_at IS NOT NULL GROUP BY schedd, _file, listing)
GROUP BY schedd HAVING count(*) > 1;
UPDATE condor_ads SET gone = 1, last_status = status, status = 3, entered = asked_at
FROM (SELECT job, max(asked_at) AS seen, schedd FROM condor_ads
      WHERE schedd IN (SELECT schedd FROM condor_asked) GROUP BY job
      HAVING max(status IN (3, 4)) = 0 AND max(asked_at) = max(max(coalesce(asked_at, 0), coalesce(entered, 0)))) AS s
JOIN condor_asked AS q USING (schedd)
WHERE s.job = condor_ads.job AND s.seen = condor_ads.asked_at AND s.seen < q.last AND status IN (1, 2, 6, 7);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'jobs that a later condor_q shows no more, the first ' || min(job) || ': they ended when they were last seen. Export condor_history'
FROM condor_ads WHERE gone AND chips > 0 GROUP BY _file;
DROP TABLE condor_asked;

-- ---- 2. Runs of jobs: of ads of one start the one that tells most ----

DROP TABLE IF EXISTS temp.condor_runs;
CREATE TEMP TABLE condor_runs AS
SELECT *, CASE WHEN written IS NOT NULL AND completed IS NULL AND status = 2 THEN written
               WHEN completed IS NOT NULL AND status = 4 THEN completed
               WHEN status IN (1, 3, 5) AND wrote BETWEEN started AND entered THEN wrote
               WHEN status IN (1, 3, 5) AND (last_status IN (1, 5) OR last_status IS NULL AND starts = 1 AND started + wall + 300 < entered)
                 THEN
                 coalesce(CASE WHEN vacated BETWEEN started AND entered THEN vacated END, started + last_wall,
                          CASE WHEN starts = 1 THEN started + wall END, entered)
               WHEN status IN (1, 3, 4, 5) THEN coalesce(entered, iif(status = 4 AND starts = 1, started + wall, NULL)) END AS ended
FROM (SELECT *, row_number() OVER (PARTITION BY job, started
                                   ORDER BY status IN (3, 4) DESC, completed DESC, status IN (1, 5) DESC, written DESC, entered DESC,
                                     rowid DESC) AS nth,
             max(written) OVER (PARTITION BY job, started) AS wrote
      FROM condor_ads WHERE job IS NOT NULL) WHERE nth = 1;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'data_loss', 'end_before_start', min(_line), count(*), 'job ' || min(job) || ' ended before it started: it holds nothing'
FROM condor_runs WHERE ended < started GROUP BY _file;
-- A job that was idle or held when it was removed, held or released had ended its run before that: the time of that is LastVacateTime, or
-- is reckoned from the wall clock of its run.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'the run of job ' || min(job) || ' ended before its state changed last, and nothing says when: it is held until that'
FROM condor_runs
WHERE status IN (1, 3, 5) AND last_status IN (1, 5) AND started IS NOT NULL AND ended = entered AND vacated IS NULL AND last_wall IS NULL
  AND (starts <> 1 OR wall IS NULL) AND chips > 0 GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'start_before_submit', min(_line), count(*),
       'job ' || min(job) || ' started before it was submitted: it counts as given'
FROM condor_runs WHERE chips > 0 AND started < submitted GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', min(_line), count(*),
       'jobs on slices of GPUs (MIG), such as ' || min(job) || ': a slice counts as a chip'
FROM condor_runs WHERE chips > 0 AND (gpu LIKE '% MIG %' OR devices LIKE '%MIG-%') GROUP BY _file;
CREATE INDEX temp.condor_runs_at ON condor_runs(host, started);
-- A machine may offer each of its GPUs several times (condor_gpu_discovery -divide).
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'guessed_share', min(_line), count(DISTINCT job),
       'jobs on GPUs that another job had at the same time, such as ' || min(job) || ': each counts as a chip'
FROM (SELECT r._file, r._line, r.job, r.started,
             max(coalesce(r.ended, 9e18)) OVER (PARTITION BY substr(r.host, instr(r.host, '@')), d.value
                                                ORDER BY r.started, r.rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM condor_runs AS r CROSS JOIN json_each('["' || replace(replace(replace(r.devices, '"', ''), ' ', ''), ',', '","') || '"]') AS d
      WHERE r.devices IS NOT NULL AND r.devices NOT LIKE '%MIG-%' AND r.chips > 0 AND r.started IS NOT NULL AND r.host IS NOT NULL
        AND (r.ended IS NOT NULL OR NOT EXISTS (SELECT 1 FROM condor_runs AS k WHERE k.host = r.host AND k.started > r.started)))
WHERE started + 60 < before AND before < 9e18 GROUP BY _file;
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'suspended_job', min(_line), count(*),
       'jobs that were suspended, the first ' || min(job) || ', for ' || CAST(total(suspended) AS INTEGER)
         || ' s in all: they held their chips meanwhile (' || CAST(total(chips * suspended) AS INTEGER) || ' chip-seconds)'
FROM condor_runs WHERE chips > 0 AND suspended > 0 GROUP BY _file;
-- A slot has one job at a time, and a GPU too. What still runs in its ad though a later job had its slot or one of its GPUs, or an hour
-- after the time that it is allowed, has an end that no ad tells.
CREATE INDEX temp.condor_runs_of ON condor_runs(job, started);
DROP TABLE IF EXISTS temp.condor_devices;
CREATE TEMP TABLE condor_devices AS
SELECT substr(host, instr(host, '@')) AS machine, d.value AS device, started, job
FROM (SELECT 1 FROM condor_runs WHERE status = 2 AND devices IS NOT NULL AND ended IS NULL LIMIT 1) CROSS JOIN condor_runs
CROSS JOIN json_each('["' || replace(replace(replace(devices, '"', ''), ' ', ''), ',', '","') || '"]') AS d
WHERE host IS NOT NULL AND started IS NOT NULL;
CREATE INDEX temp.condor_devices_of ON condor_devices(machine, device, started);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'warning', 'lost_end', min(_line), count(*),
       'job ' || min(job) || ' runs though ' || min(why) || ': it is held until the last time of the ads. Is its last ad missing?'
FROM (SELECT r._file, r._line, r.job,
             CASE WHEN EXISTS (SELECT 1 FROM condor_runs AS k WHERE k.host = r.host AND k.started > r.started AND k.job <> r.job)
                    THEN 'a later job had its slot'
                  WHEN EXISTS (SELECT 1 FROM json_each('["' || replace(replace(replace(r.devices, '"', ''), ' ', ''), ',', '","')
                                                       || '"]') AS d CROSS JOIN condor_devices AS k
                               ON k.machine = substr(r.host, instr(r.host, '@')) AND k.device = d.value AND k.started > r.started
                               WHERE k.job <> r.job) THEN 'a later job had one of its GPUs'
                  WHEN r.started + r.allowed + 3600
                    < (SELECT max(max(coalesce(started, 0), coalesce(completed, 0), coalesce(entered, 0), coalesce(asked_at, 0)))
                       FROM condor_ads) THEN 'the time that it is allowed is over' END AS why
      FROM condor_runs AS r WHERE r.chips > 0 AND r.started IS NOT NULL AND r.ended IS NULL AND r.status = 2
        AND NOT EXISTS (SELECT 1 FROM condor_runs AS n WHERE n.job = r.job AND n.started > r.started))
WHERE why IS NOT NULL GROUP BY _file;
DROP TABLE condor_devices;
-- Ads that were listed with some attributes alone may lack the time of their listing.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT r._file, 'warning', 'not_observed', min(r._line), count(*),
       'running jobs, the first ' || min(r.job)
         || ', without ServerTime, which says when they were listed: they are held until the last time of the ads. List it, or give as_of'
FROM condor_runs AS r
WHERE r.chips > 0 AND r.started IS NOT NULL AND r.ended IS NULL AND r.status = 2
  AND NOT EXISTS (SELECT 1 FROM condor_runs AS n WHERE n.job = r.job AND n.started > r.started)
  AND r._file NOT IN (SELECT a._file FROM condor_ads AS a WHERE a.asked_at IS NOT NULL) GROUP BY r._file;
DROP TABLE IF EXISTS temp.jobs;
CREATE TEMP TABLE jobs AS
SELECT job, max(name) AS name, coalesce(max(account), max(user)) AS owner, NULL AS phase, NULL AS framework, NULL AS runtime, NULL AS model,
       CAST(max(priority) AS TEXT) AS priority, max(chips) AS chips,
       CASE WHEN min(chips) < max(chips) THEN min(chips) END AS min_chips, NULL AS tasks, min(submitted) AS submit_time,
       json_patch('{}', json_object('user', max(user), 'host', max(host), 'gpu', max(gpu), 'cluster_id', max(cluster))) AS labels
FROM condor_runs WHERE chips > 0 GROUP BY job;
-- A job that is held asks for nothing until it is released; one that is idle again waits.
DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
WITH ordered AS (SELECT *, row_number() OVER later AS attempt, lead(started) OVER later AS next
                 FROM condor_runs WHERE chips > 0 AND started IS NOT NULL WINDOW later AS (PARTITION BY job ORDER BY started))
SELECT job, attempt, NULL AS task, 'condor' AS pool, chips, started AS start_time, max(started, coalesce(ended, next)) AS end_time,
       CASE WHEN coalesce(ended, next) IS NULL OR gone AND next IS NULL THEN NULL WHEN next IS NOT NULL THEN 'preempted'
            WHEN status = 4 THEN CASE WHEN coalesce(by_signal, 0) OR coalesce(exit_code, 0) <> 0 THEN 'failed' ELSE 'completed' END
            WHEN status = 3 AND last_status = 1 AND ended < entered THEN 'preempted' WHEN status = 3 THEN 'cancelled'
            WHEN status = 5 AND hold IN (46, 47) THEN 'timeout' WHEN status = 5 THEN 'cancelled' ELSE 'preempted' END AS outcome
FROM ordered;
CREATE INDEX temp.condor_allocated ON allocations(job, attempt);
INSERT INTO allocations
SELECT a.job, a.attempt + 1, NULL, pool, 0, a.end_time, NULL, NULL
FROM allocations AS a JOIN condor_runs AS r ON r.job = a.job AND r.started = a.start_time
WHERE r.status = 1 AND a.attempt = (SELECT max(b.attempt) FROM allocations AS b WHERE b.job = a.job);
INSERT INTO allocations -- what waited again and was removed asks for nothing from then on
SELECT a.job, a.attempt + 1, NULL, pool, 0, r.entered, r.entered, 'cancelled'
FROM allocations AS a JOIN condor_runs AS r ON r.job = a.job AND r.started = a.start_time
WHERE r.status = 3 AND r.last_status = 1 AND r.ended < r.entered
  AND a.attempt = (SELECT max(b.attempt) FROM allocations AS b WHERE b.job = a.job);
INSERT INTO allocations
SELECT job, 1, NULL, 'condor', 0, max(iif(status = 4, submitted, entered)), max(iif(status = 4, submitted, entered)),
       CASE WHEN status <> 4 THEN 'cancelled' WHEN coalesce(by_signal, 0) OR coalesce(exit_code, 0) <> 0 THEN 'failed' ELSE 'completed' END
FROM condor_runs WHERE chips > 0 AND job NOT IN (SELECT job FROM condor_runs WHERE started IS NOT NULL) AND status IN (3, 4, 5)
  AND iif(status = 4, submitted, entered) IS NOT NULL GROUP BY job;
DROP TABLE IF EXISTS temp.observed;
CREATE TEMP TABLE observed AS
SELECT 'condor' AS pool, (SELECT max(max(coalesce(submitted, 0), coalesce(started, 0), coalesce(completed, 0), coalesce(entered, 0),
                                         coalesce(written, 0), coalesce(asked_at, 0))) FROM condor_ads) AS until_time FROM jobs LIMIT 1;
-- Files of output have $(Cluster) and $(Process) with any sign between, or the first alone.
DROP TABLE IF EXISTS temp.aliases;
--@ if (SELECT count(*) FROM source) + (SELECT count(*) FROM file WHERE source IS NULL AND format IS NOT NULL) > 1
CREATE TEMP TABLE aliases AS
SELECT job, replace(job, '.', mark) AS alias FROM jobs, (SELECT '_' AS mark UNION SELECT '-')
WHERE job GLOB '[0-9]*.[0-9]*' AND job NOT GLOB '*#*'
UNION ALL
SELECT job, substr(job, 1, instr(job, '.') - 1) FROM jobs WHERE job GLOB '[0-9]*.[0-9]*' AND job NOT GLOB '*#*'
UNION ALL -- and the files that it writes (sources/match/outputs.sql)
SELECT job, '>' || iif(path GLOB '/*', path, folder || '/' || path)
FROM (SELECT job, folder, iif(n, output, errors) AS path FROM condor_runs CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1) WHERE chips > 0)
WHERE (path GLOB '/*' OR folder <> '') AND path NOT GLOB '/dev/*' AND path <> '';
--@ end
DROP INDEX temp.condor_allocated;
CREATE TEMP VIEW held_on AS SELECT job, json_array(substr(host, 1 + instr(host, '@'))) AS hosts, started AS start_time, ended AS end_time
FROM condor_runs WHERE host <> '' AND chips > 0;
.read sql/formats/log/on_hosts.sql
DROP TABLE condor_runs;
DROP TABLE condor_ads;
