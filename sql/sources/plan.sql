-- plan.sql - the files that a path stands for, and what is known of each before it is read.
--
-- Runs first on the private connection of a query over sources. What follows fills these tables: files from
-- what is there, sources from files that one script reads together.

-- The files of entries so far, as the system tells them apart: one belongs to the first entry that has it.
CREATE TABLE taken(device INTEGER, inode INTEGER, entry INTEGER, PRIMARY KEY (device, inode)) WITHOUT ROWID;

CREATE TABLE file(
  file INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, entry INTEGER NOT NULL,
  format TEXT,             -- NULL: not recognised
  parameter TEXT,          -- of the format's script, which the file goes to
  certainty TEXT,          -- 'given', 'sure', 'likely'
  reason TEXT NOT NULL,    -- how it was recognised, or why it was not
  missing TEXT NOT NULL,   -- JSON array: options that the file does not tell
  said_job TEXT,           -- the job that its own text names,
  said_task TEXT,          -- and an array's task: '123_4'
  options TEXT NOT NULL,   -- JSON object, with what was inferred
  inferred TEXT NOT NULL,  -- JSON object: option and why
  head INTEGER,            -- a hash of its first bytes,
  begin INTEGER,           -- and of as many of them as a power of two has; 0: of fewer than 64
  -- Unix seconds: when its job began, of a log without a clock whose own text and options do not tell it (match.sql)
  start REAL,
  -- Of a log that lacks it: the time that its name tells, or the begin of the day, and the folder whose name that is (named.sql).
  named REAL,
  named_day REAL,
  named_year INTEGER,      -- of a log whose times have no year
  named_in TEXT,
  source INTEGER,          -- that it is part of
  job TEXT                 -- the scheduler's job that a trainer's log was found to be of
);

-- The name of the log that a file may be a part of, and its place among the parts (parts.sql).
CREATE TABLE log_name(file INTEGER PRIMARY KEY, name TEXT NOT NULL, place TEXT NOT NULL);

-- The hashes of the first 64 bytes of a file, of the first 128 and so on.
CREATE TABLE file_begin(begin INTEGER, file INTEGER);
-- A file that has the content of another; is_begin: that the other begins with.
CREATE TABLE copy(file INTEGER PRIMARY KEY, original TEXT NOT NULL, is_begin INTEGER NOT NULL, left_out INTEGER NOT NULL);

CREATE TABLE source(
  source INTEGER PRIMARY KEY, format TEXT NOT NULL, rank INTEGER NOT NULL, options TEXT NOT NULL,
  records TEXT,            -- JSON object: relation and how many records
  alone TEXT               -- the path of the one file that it is, if its script reads one at a time
);
CREATE UNIQUE INDEX source_of ON source(format, options, coalesce(alone, ''));

-- Sources of one cluster that are read together once it is known which jobs each has (beside.sql, without_nodes.sql).
CREATE TABLE together(source INTEGER, beside INTEGER);

-- What the scripts gave, each with its source. Spans stay in tables of their own: they are many.
CREATE TABLE all_capacity(source INTEGER, pool, chip, chips, start_time, end_time);
CREATE TABLE installed_there(row INTEGER PRIMARY KEY); -- of them that of logs which other sources tell as well (join/unmatched.sql)
CREATE TABLE all_outages(source INTEGER, pool, chips, start_time, end_time, kind);
CREATE TABLE all_jobs(source INTEGER, job, name, owner, phase, framework, runtime, model, priority, chips, min_chips, tasks,
                      submit_time, labels);
CREATE TABLE all_allocations(source INTEGER, job, attempt, task, pool, chips, start_time, end_time, outcome);
CREATE TABLE all_commits(source INTEGER, job, attempt, step, snapshot_time, durable_time);
CREATE TABLE all_programs(source INTEGER, program, flops, bytes, dtype);
-- the same of files that may be a job's; parts: FLOPs by dtype, of which others are made on a chip
CREATE TABLE all_program_files(source INTEGER, program, flops, bytes, dtype, parts, made_on, file);
CREATE TABLE all_observed(source INTEGER, pool, until_time);
-- pools of which no source says what is installed: their chip, and whether a log told it (join.sql)
CREATE TABLE no_capacity(source INTEGER, pool, chip, by_log);
CREATE TABLE all_aliases(source INTEGER, job, alias);
-- some of the nodes that schedulers name, and which job held one that a log is named after
CREATE TABLE all_hosts(source INTEGER, host, job, start_time, end_time);
CREATE TABLE all_assumed_chips(source INTEGER, job); -- jobs that count as one chip, for their logs do not tell how many they hold
CREATE TABLE chips_then(source INTEGER, job, since, chips); -- and how many they hold as their scheduler has it (join/assumed.sql)
CREATE INDEX chips_then_of ON chips_then(source, job, since);
-- Schedulers' sources by cluster, if they are several (schedulers.sql).
CREATE TABLE of_cluster(source INTEGER PRIMARY KEY, cluster INTEGER);
-- The latest of each time of each relation but spans and observed.
CREATE TABLE own_record(source INTEGER, time);

-- What logs are found to be of (match.sql): all that a job goes by, the job of each file, those that it may be of, and files
-- that fit several jobs.
CREATE TABLE key(key TEXT PRIMARY KEY, job TEXT NOT NULL, strength INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE found(file INTEGER PRIMARY KEY, job TEXT, how TEXT);
CREATE TABLE may_be(file INTEGER, job TEXT, PRIMARY KEY (file, job)) WITHOUT ROWID;
-- Logs that may be of the same jobs, as those whose names are one name of many: may_be has them once, below a number less than 0.
CREATE TABLE same_names(file INTEGER PRIMARY KEY, as_file INTEGER);
CREATE INDEX same_names_as ON same_names(as_file);
CREATE TABLE said_id(file INTEGER, line INTEGER, job TEXT); -- what the whole text of some logs says (match/said_ids.sql)
CREATE TABLE on_host(file INTEGER, host TEXT, job TEXT); -- logs that have the name of a host, and the jobs that it held
CREATE TABLE in_users_folder(file INTEGER, user TEXT); -- logs that nothing else says the job of
CREATE TABLE ambiguous(file INTEGER, jobs TEXT);
CREATE TABLE said_otherwise(file INTEGER, job TEXT); -- a job that the text of a log names, where the option job says another
-- A log of several jobs: which is meant from when (by_time.sql).
CREATE TABLE by_time(file INTEGER, source INTEGER, was TEXT, since REAL, until REAL, job TEXT, found TEXT);
-- Spans that begin before the attempt of which they are, with its number (across.sql).
CREATE TABLE before_attempt(source INTEGER, row INTEGER, attempt INTEGER, PRIMARY KEY (source, row)) WITHOUT ROWID;
CREATE TABLE words_at_once(source INTEGER, was TEXT, jobs TEXT); -- records that call their job by a name of several which ran at once
-- The other name that a source has for a job, and runs that follow one that reached its end (join.sql).
CREATE TABLE renamed(source INTEGER, was TEXT, job TEXT, PRIMARY KEY (source, was)) WITHOUT ROWID;
-- What a job's own program of a name does, if jobs differ in it (programs.sql).
CREATE TABLE own_program(job TEXT, program TEXT, most, flops, bytes, dtype, versions INTEGER, PRIMARY KEY (job, program)) WITHOUT ROWID;
-- Runs that follow one of their job which reached its end (join.sql), and the step that they restore (spans.sql).
CREATE TABLE stage(source INTEGER, job TEXT, was TEXT, attempt INTEGER, next_source INTEGER, next_job TEXT, next_attempt INTEGER, next_time,
                   step INTEGER, end_time);

-- What the scripts of schedulers may be asked for.
CREATE TEMP VIEW log_names AS SELECT path FROM main.file
WHERE source IS NULL AND format IS NOT NULL UNION ALL SELECT said_job FROM main.file WHERE source IS NULL AND said_job GLOB '[A-Za-z]*';

-- The options that say what jobs are.
CREATE TEMP VIEW of_jobs AS SELECT value AS key FROM json_each('["phase","framework","runtime","model","owner","name","priority"]');
