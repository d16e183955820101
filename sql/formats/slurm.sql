-- slurm.sql - from Slurm's accounting to the relations of the native trace.
--
--@ source 1
--@ feeds SG
--@ input :sacct sure \A(?=\w+([|\t;^~!#@\x1f]{1,3}))(?!(?![^\n]*(?:State|Submit|Start|End|Elapsed|Name|User|TRES))[^\n]*\b(?:Ave|Max|Min)(?:CPU|RSS|VMSize|Pages|Disk))(?:[A-Za-z]\w*\1)*JobID(?:Raw)?\1[^\n]*\n
--@ input :sacct sure (?s)\A\s*\{.*"(?:Slurm|slurm)"\s*:.*"jobs"\s*:\s*\[
--@ input :sacct sure (?s)\A\s*\{\s*(?:"(?:errors|last_\w+|meta|warnings)"\s*:.{0,4000}?)?"jobs"\s*:\s*\[(?:.*"(?:job_id|association|array)"|\s*\]\s*,.*"slurm")\s*:
--@ input :sacct sure \AJobId=\d+ 
--@ input :reservations sure \A(?=(?:[A-Za-z][\w ]*[|])*TimeStart[|])[^\n]*\b(?:UnusedWall|NodeNames|Name[|])
--@ input :reservations sure \AReservationName=\S+ StartTime=
--@ input :reservations sure (?s)\A\s*\{.*"(?:Slurm|slurm)"\s*:.*"reservations"\s*:\s*\[
--@ input :reservations sure (?s)\A\s*\{\s*(?:"(?:errors|last_\w+|meta|warnings)"\s*:.{0,4000}?)?"reservations"\s*:\s*\[(?:.*"node_list"|\s*\]\s*,.*"slurm")\s*:
--@ input :events sure \A(?=(?:[A-Za-z][\w ]*[|])*(?:TimeStart|NodeName)[|\r\n])(?=(?:[A-Za-z][\w ]*[|])*(?:(?:TimeEnd|State)[|\r\n]|TimeStart[|](?:[A-Za-z][\w ]*[|])*NodeName[|\r\n]|NodeName[|](?:[A-Za-z][\w ]*[|])*TimeStart[|\r\n]))(?![^\n]*\b(?:UnusedWall|NodeNames)\b)
--@ input :nodes sure \ANodeName=\S+ [^\n]*\b(?:CPUTot|Arch|State|Gres)=
--@ input :nodes sure (?s)\A\s*\{.*"(?:Slurm|slurm)"\s*:.*"nodes"\s*:\s*\[\s*\{
--@ input :nodes sure (?s)\A\s*\{\s*(?:"(?:errors|last_\w+|meta|warnings)"\s*:.{0,4000}?)?"nodes"\s*:\s*\[.*"(?:slurmd_version|gres)"\s*:
--@ extends outage_reasons
--@ needs :zone (?:([|\t;^~!#@\x1f])\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\1|\r?$)|(?:Time=|\[\w+@)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[\]\s]|$))
--@ hint \A-{40,}\n(?:Cluster|Job|User)[^\n]*Utilization => a report of sreport: export sacct and sacctmgr show event instead
--@ hint \A(?:\s*JobID\s+JobName\s|(?=[^\n]*\bJobID(?:Raw)?\b)[\w %/]+\n-{3,}(?: +-{3,})*[ ]*\n) => sacct as a table for people: export it with sacct -P
--@ hint \A(?=[^\n]*\b(?:Time)?Start\b)(?=[^\n]*\b(?:Time)?End\b)[\w %/]+\n-{3,}(?: +-{3,})*[ ]*\n => sacctmgr as a table for people: export it with sacctmgr --parsable2
--@ hint \A(?![^\n]*\bJobID(?:Raw)?\|)(?:[^\n]*\n){1,30}?(?:\w+\|)*JobID(?:Raw)?\|(?=[^\n]*\b(?:State|AllocTRES|ReqTRES)\b)[\w|]+\r?$ => columns of sacct behind other lines: take those out
--@ hint \A(?:"?\w+"?,)*"?JobID(?:Raw)?"?,(?:"?\w+"?,)*"?\w+"?\r?$ => columns of sacct with commas, which its TRES have as well: export with sacct --parsable2
--@ hint \A(?=[^\n]*\bJobID\b)(?=[^\n]*\b(?:Ave|Max|Min)(?:CPU|RSS|VMSize|Pages|Disk))[\w|]+\r?$ => what sstat tells of steps that run, without their chips: export sacct -P
--@ hint \A\d+(?:[_+.]\S*?)?\|(?:[^|\n]*\|){0,99}?(?:COMPLETED|FAILED|TIMEOUT|RUNNING|PENDING|CANCELLED|NODE_FAIL|PREEMPTED|REQUEUED|OUT_OF_MEMORY)[ |] => sacct without a header: give the options format, slurm, and columns
--@ hint \A\d+(?:[_+.][\w%\[\]-]*)?([\t;^~!#@\x1f]{1,3})(?=[^\n]*\1\d{4}-\d\d-\d\dT\d\d:)[^\n]*\1(?:COMPLETED|FAILED|TIMEOUT|RUNNING|PENDING|CANCELLED|NODE_FAIL|PREEMPTED|REQUEUED|OUT_OF_MEMORY)(?: by \d+)?\1 => sacct without a header: give the options format, slurm, delimiter, and columns
--@ hint \A(?=[^\n]*\b(?:id_job|job_db_inx)\b)[^\n]*\btime_(?:start|submit|eligible)\b => jobs as slurmdbd's database has them: export sacct -P
--@ hint \A\s*\[?\s*\{(?=[^\n]*"scheduler_type"\s*:\s*"(?i:slurm)")(?=[^\n]*"fields"\s*:) => jobs as AWS PCS logs them: export sacct -P
--@ hint \A[^|\n]*\|(?:[^|\n]*\|){0,9}(?:Cluster|Node)\|(?=[^\n]*(?:\||,)(?:cpu|gres/\w+)=\d)[^\n]*\r?$ => sacctmgr show event without a header: export it without --noheader
--
-- In the sqlite3 shell:
--
--     .load ./mpg
--     .param set :sacct  fixtures/slurm/sacct_jobs.psv
--     .param set :events fixtures/slurm/sacctmgr_events.psv
--     .read sql/formats/slurm.sql
--     SELECT pool, scheduling_goodput(category, chip_us) FROM mpg_rollup GROUP BY pool;
--
-- Parameters (all but :sacct may be left unset): :sacct and :events are paths, globs or folders of
-- `sacct -P` (or its --json, that of squeue, `scontrol show job`, the log of jobcomp/filetxt) and
-- `sacctmgr -P show event`; :nodes is one of
-- `scontrol show node`, for what the events do not say; :zone is the cluster's time zone, if the
-- times are local ('UTC'); :columns and :delimiter are the arguments of slurm_trace; :reservations is one of
-- `scontrol show reservation` or of `sacctmgr -P show reservation`.
--
-- From a program that cannot bind parameters to a script, create the inputs before running it:
--
--     CREATE TEMP TABLE slurm_jobs AS SELECT *, _file, _line FROM slurm_trace('sacct.psv', 'Europe/Berlin');
--     CREATE TEMP TABLE slurm_events AS SELECT *, _file, _line FROM slurm_events_trace('events.psv', 'Europe/Berlin');
--     CREATE TEMP TABLE slurm_now AS SELECT *, _file, _line FROM slurm_nodes_trace('nodes.json');
--     CREATE TEMP TABLE slurm_reserved AS SELECT *, _file, _line FROM slurm_reservations_trace('reservations.txt');
--
-- Makes the TEMP tables jobs, allocations, capacity, outages and observed, which mpg_ledger and mpg_rollup then
-- find, and which may be changed before that (a pool's chip, a job's phase), and aliases, the other names of jobs.
-- The inputs are dropped at the end. The rules are explained in docs/formats/slurm.md.

.read sql/formats/slurm/inputs.sql
.read sql/formats/slurm/nodes.sql
.read sql/formats/slurm/attempts.sql
.read sql/formats/slurm/missing.sql
.read sql/formats/slurm/relations.sql

-- ---- 6. What else a job goes by ----

-- Of a task of an array or a part of a heterogeneous job its JobID (123_4, 123+1), after which Slurm names its log; where several
-- clusters are read the plain ids as well; and its output, behind ">" (match/outputs.sql).
DROP TABLE IF EXISTS temp.aliases;
--@ if (SELECT count(*) FROM source) + (SELECT count(*) FROM file WHERE source IS NULL AND format IS NOT NULL) > 1
CREATE TEMP TABLE aliases AS
SELECT job, JobID AS alias FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
WHERE JobID <> job AND JobID NOT GLOB '*_[[]*'
UNION
SELECT job, id FROM slurm_attempts WHERE id <> job
UNION ALL -- beside its export
SELECT job, rtrim(_file, replace(_file, '/', '')) || id FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row
WHERE id <> job
UNION ALL
SELECT job, rtrim(_file, replace(_file, '/', '')) || JobID
FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row WHERE id <> job AND JobID <> id AND JobID NOT GLOB '*_[[]*'
UNION ALL -- and the files that it writes, unless they have its id in their name
SELECT DISTINCT job, '>' || iif(path GLOB '/*', path, WorkDir || '/' || path)
FROM (SELECT a.job, job_base, WorkDir, replace(replace(iif(n, StdOut, StdErr), '%x', coalesce(JobName, '')), '%u', coalesce("User", '')) AS path
      FROM (SELECT 1 FROM slurm_jobs WHERE coalesce(StdOut, StdErr) IS NOT NULL LIMIT 1) CROSS JOIN slurm_attempts AS a
      CROSS JOIN slurm_jobs AS j ON j.rowid = a.row CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1)
      WHERE coalesce(StdOut, StdErr) IS NOT NULL)
WHERE (path GLOB '/*' OR WorkDir <> '') AND path NOT GLOB '*%*' AND path NOT GLOB '/dev/*'
  AND NOT (length(job_base) > 2 AND instr(replace(path, rtrim(path, replace(path, '/', '')), ''), job_base));
--@ end

-- Nodes of some jobs: a Kubernetes may have pods of those names, in which Slurm runs.
DROP TABLE IF EXISTS temp.hosts;
CREATE TEMP TABLE hosts(host, job, start_time, end_time);
INSERT INTO hosts(host)
SELECT DISTINCT n.value FROM (SELECT nodes FROM slurm_jobs WHERE alloc_gpus > 0 AND nodes IS NOT NULL LIMIT 500)
CROSS JOIN json_each(nodes) AS n;

DROP VIEW IF EXISTS temp.held_on;
CREATE TEMP VIEW held_on AS
SELECT a.job, j.nodes AS hosts, a.Start AS start_time, a."End" AS end_time
FROM slurm_attempts AS a CROSS JOIN slurm_jobs AS j ON j.rowid = a.row WHERE a.started AND a.held_types <> '{}';
.read sql/formats/log/on_hosts.sql

-- ---- 7. Tables that are no longer needed ----

DROP TABLE slurm_said;
DROP TABLE slurm_reasons;
DROP TABLE slurm_nodes;
DROP TABLE slurm_down;
DROP TABLE slurm_lists;
DROP TABLE slurm_pools;
DROP TABLE slurm_installed;
DROP TABLE slurm_types;
DROP TABLE slurm_attempts;
DROP TABLE slurm_rows;
DROP TABLE slurm_repeated;
DROP TABLE slurm_events;
DROP TABLE slurm_seen;
DROP TABLE slurm_listed;
DROP TABLE slurm_now;
DROP TABLE slurm_jobs;
