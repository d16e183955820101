-- columns.sql - what each column of a database made by build.sql means: the table mpg_columns.
--
-- A row a column: its unit, its meaning and how it adds up. mpg_build runs this file after build.sql, and
-- sql/semantic/generate makes the models for BI tools from the table, so each meaning is written here alone.
-- A row whose column_name is NULL is of the table itself.
--
--     adds_up   'sum'            a measure: added up over any rows
--               'group'          a dimension: rows are grouped and filtered by it
--               'min and max'    a moment or a number that is not added: the first, the last
--               an expression    a ratio: never added nor averaged, but made of sums as it says

DROP TABLE IF EXISTS main.mpg_columns;
CREATE TABLE mpg_columns(table_name TEXT, column_name TEXT, type TEXT, unit TEXT, meaning TEXT, adds_up TEXT);
CREATE UNIQUE INDEX main.mpg_columns_key ON mpg_columns(table_name, column_name);

DROP TABLE IF EXISTS temp.mpg_meanings;
CREATE TEMP TABLE mpg_meanings(table_name TEXT, column_name TEXT, unit TEXT, adds_up TEXT, meaning TEXT);
-- Tables and views.
INSERT INTO temp.mpg_meanings VALUES
('ledger', NULL, NULL, NULL, 'The chip-time of one hour, pool, job, attempt, category and cause.'),
('cells', NULL, NULL, NULL, 'The columns of ledger, as a view.'),
('waits', NULL, NULL, NULL, 'An interval in which chips were idle or down, or were held or wanted by a job that could not run.'),
('attempts', NULL, NULL, NULL, 'An attempt of a job, from its first chip to its last.'),
('runs', NULL, NULL, NULL, 'A time in which an attempt had all the chips that it needed.'),
('program_ledger', NULL, NULL, NULL, 'Chip-time of a program, by job and day of UTC.'),
('day_sums', NULL, NULL, NULL, 'The sums of a day, and their ratios.'),
('pool_sums', NULL, NULL, NULL, 'The sums of a pool, and their ratios.'),
('job_sums', NULL, NULL, NULL, 'The sums of a job, and their ratios on the job''s own basis.'),
('goodput_by_day', NULL, NULL, NULL, 'Goodput of each day.'),
('goodput_by_pool', NULL, NULL, NULL, 'Goodput of each pool.'),
('goodput_by_job', NULL, NULL, NULL, 'Goodput of each job, on the job''s own basis.'),
('job_labels', NULL, NULL, NULL, 'A label of a job.'),
('issues', NULL, NULL, NULL, 'What the last build found wrong, or worth knowing.'),
('capacity', NULL, NULL, NULL, 'Chips installed in a pool for a time.'),
('outages', NULL, NULL, NULL, 'Chips of a pool out of service for a time.'),
('jobs', NULL, NULL, NULL, 'A job.'),
('allocations', NULL, NULL, NULL, 'Chips held by a job, or by one of its tasks, for a time.'),
('spans', NULL, NULL, NULL, 'What a job did for a time: a step, a save, a compilation.'),
('commits', NULL, NULL, NULL, 'A checkpoint.'),
('programs', NULL, NULL, NULL, 'What one execution of a program takes.'),
('observed', NULL, NULL, NULL, 'Until when a pool, or a job, was observed.'),
('chips', NULL, NULL, NULL, 'What a chip can do in a type of numbers: your own chips, and those of the traces.'),
('prices', NULL, NULL, NULL, 'What an hour of a chip costs: yours to fill.'),
('mpg_config', NULL, NULL, NULL, 'A setting of the builds.'),
('mpg_built', NULL, NULL, NULL, 'What the last build read.'),
('mpg_accounted', NULL, NULL, NULL, 'What the last build accounted, in short: the next one makes the rows of what differs.'),
('mpg_columns', NULL, NULL, NULL, 'What a column means.');
-- Dimensions.
INSERT INTO temp.mpg_meanings VALUES
(NULL, 'id', NULL, 'group', 'Made of what the record says: the same record has the same id.'),
(NULL, 'hour', NULL, 'group', 'Start of the hour, by the ledger''s clocks.'),
(NULL, 'day', NULL, 'group', 'Start of the day, by the ledger''s clocks.'),
('program_ledger', 'day', NULL, 'group', 'Start of the day of UTC.'),
(NULL, 'week', NULL, 'group', 'ISO week, 2026-W02.'),
(NULL, 'month', NULL, 'group', 'Month, 2026-01.'),
(NULL, 'time', 's', 'min and max', 'Start of the hour in Unix seconds, whatever the clocks.'),
(NULL, 'pool', NULL, 'group', 'Where the chips are.'),
(NULL, 'chip', NULL, 'group', 'What the chips are.'),
(NULL, 'job', NULL, 'group', 'The job; NULL for chips that no job held.'),
(NULL, 'attempt', NULL, 'group', 'The attempt of the job, from 1.'),
(NULL, 'run', NULL, 'group', 'The run of the attempt, from 1.'),
(NULL, 'task', NULL, 'group', 'The task of the job.'),
(NULL, 'name', NULL, 'group', 'The job''s name.'),
('mpg_config', 'name', NULL, 'group', 'The setting''s name.'),
(NULL, 'owner', NULL, 'group', 'Who runs the job.'),
(NULL, 'phase', NULL, 'group', 'training, serving, bulk_inference, ...'),
(NULL, 'framework', NULL, 'group', 'jax, pytorch, ...'),
(NULL, 'runtime', NULL, 'group', 'What runs the program.'),
(NULL, 'model', NULL, 'group', 'The model.'),
(NULL, 'size', NULL, 'group', 'Class of the job by its chips: S, M, L, XL.'),
(NULL, 'priority', NULL, 'group', 'The job''s priority.'),
(NULL, 'team', NULL, 'group', 'The job''s label team.'),
(NULL, 'category', NULL, 'group', 'What the chip-time was: ideal, lost, idle, ...'),
(NULL, 'cause', NULL, 'group', 'Why, for down and stall.'),
(NULL, 'outcome', NULL, 'group', 'What ended it; NULL while it goes on.'),
(NULL, 'kind', NULL, 'group', 'step, checkpoint, compile, ...'),
('outages', 'kind', NULL, 'group', 'hw_down, maintenance, ...'),
('issues', 'kind', NULL, 'group', 'What was found.'),
(NULL, 'step', NULL, 'group', 'The number of the step.'),
(NULL, 'program', NULL, 'group', 'The program.'),
(NULL, 'dtype', NULL, 'group', 'The type of numbers: bf16, fp8, ...'),
(NULL, 'labels', NULL, 'group', 'The job''s labels, a JSON object.'),
(NULL, 'key', NULL, 'group', 'The label''s name.'),
(NULL, 'value', NULL, 'group', 'The label''s value.'),
('mpg_config', 'value', NULL, 'group', 'The setting''s value.'),
('mpg_built', 'version', NULL, 'group', 'The version of mpg.'),
('mpg_built', 'made_of', NULL, 'group', 'How many records of each kind, the settings and your chips.'),
('mpg_accounted', 'kind', NULL, 'group', 'job, day of a pool, table or built.'),
('mpg_accounted', 'name', NULL, 'group', 'The job, the pool, the table, or what mpg_built says.'),
('mpg_accounted', 'day', NULL, 'group', 'The day of UTC since 1970, or 0.'),
('mpg_accounted', 'digest', NULL, 'group', 'A hash of what is accounted.'),
(NULL, 'severity', NULL, 'group', 'info, warning or data_loss.'),
(NULL, 'source', NULL, 'group', 'The file, or where the figures come from.'),
(NULL, 'detail', NULL, 'group', 'The first of them.'),
(NULL, 'line', NULL, 'group', 'The line of the file.'),
(NULL, 'vendor', NULL, 'group', 'Who makes the chip.'),
(NULL, 'year', NULL, 'group', 'When the chip came out.'),
(NULL, 'table_name', NULL, 'group', 'The table or view.'),
(NULL, 'column_name', NULL, 'group', 'The column; NULL: the table itself.'),
(NULL, 'type', NULL, 'group', 'The declared type.'),
(NULL, 'unit', NULL, 'group', 'us, s, chip-us, chip-hours, chips, ratio, ...'),
(NULL, 'meaning', NULL, 'group', 'What it is.'),
(NULL, 'adds_up', NULL, 'group', 'sum, group, min and max, or the sums that a ratio is made of.');
-- Moments.
INSERT INTO temp.mpg_meanings
SELECT NULL, name || suffix, unit, 'min and max', meaning || more
FROM (SELECT column1 AS name, column2 AS meaning FROM (VALUES
        ('start', 'When it began'), ('end', 'When it ended (NULL: it goes on)'), ('submit', 'When the job was submitted'),
        ('snapshot', 'When the state that was saved was taken'), ('durable', 'When the checkpoint was safe'),
            ('until', 'When it was observed last'),
        ('ready', 'When it first had all the chips that it needed'), ('last_span', 'The end of the last thing that its program did'),
        ('progress', 'The start of its first step'))),
     (SELECT column1 AS suffix, column2 AS unit, column3 AS more FROM (VALUES
        ('_us', 'us', ', in microseconds since 1970.'), ('_time', NULL, ', as ISO text of UTC.')));
-- Measures.
INSERT INTO temp.mpg_meanings
SELECT NULL, name || suffix, unit, 'sum', meaning
FROM (SELECT column1 AS name, column2 AS meaning FROM (VALUES
        ('chip', 'Chip-time of the row, queued too: for what there was, sum that of capacity.'),
        ('capacity', 'Chip-time that there was: all but queued.'),
        ('allocated', 'Chip-time in the hands of jobs that had all that they needed.'),
        ('partial', 'Chip-time held by jobs whose gang was not complete.'),
        ('untraced', 'Allocated chip-time of which no runtime record tells.'),
        ('productive', 'Allocated chip-time that made progress which survived.'),
        ('unrated', 'Productive chip-time of programs whose FLOPs or chip are unknown.'),
        ('ideal', 'Chip-time that the progress takes at the roofline.'),
        ('queued', 'Chip-time asked for and not held; outside capacity.'),
        ('held', 'Chip-time held.'),
        ('lost', 'Chip-time of steps that did not survive.'))),
     (SELECT column1 AS suffix, column2 AS unit FROM (VALUES ('_us', 'chip-us'), ('_chip_hours', 'chip-hours')))
WHERE name || suffix <> 'chip_chip_hours';
INSERT INTO temp.mpg_meanings VALUES
('job_sums', 'lost_us', 'chip-us', 'sum', 'Chip-time held that came to nothing that is known: all but ideal, untraced and unrated.'),
('job_sums', 'lost_chip_hours', 'chip-hours', 'sum',
 'Chip-time held that came to nothing that is known: all but ideal, untraced and unrated.'),
('goodput_by_job', 'lost_chip_hours', 'chip-hours', 'sum',
 'Chip-time held that came to nothing that is known: all but ideal, untraced and unrated.'),
(NULL, 'chip_hours', 'chip-hours', 'sum', 'Chip-time of the row, queued too: for what there was, sum that of capacity.'),
(NULL, 'intervals', 'intervals', 'sum', 'Intervals of the ledger in the row.'),
(NULL, 'count', 'records', 'sum', 'How many there were.'),
(NULL, 'restore_us', 'us', 'sum', 'Time in which checkpoints were read back before the first step.'),
(NULL, 'flops', 'FLOPs', 'sum', 'Floating-point operations; of a program for one execution.'),
(NULL, 'bytes', 'bytes', 'sum', 'Bytes moved to and from memory; of a program for one execution.'),
(NULL, 'executions', 'executions', 'sum', 'How often the program ran.'),
(NULL, 'chips', 'chips', 'min and max', 'How many chips.'),
(NULL, 'min_chips', 'chips', 'min and max', 'The fewest chips with which the job runs.'),
(NULL, 'tasks', 'tasks', 'min and max', 'How many tasks the job has.'),
(NULL, 'peak_flops', 'FLOP/s', 'min and max', 'Dense peak of the chip.'),
(NULL, 'hbm_bytes', 'bytes', 'min and max', 'Memory of the chip.'),
(NULL, 'hbm_bytes_per_s', 'bytes/s', 'min and max', 'Bandwidth of the memory.'),
(NULL, 'ici_bytes_per_s', 'bytes/s', 'min and max', 'Bandwidth between chips.'),
(NULL, 'tdp_w', 'W', 'min and max', 'Power of the chip.'),
(NULL, 'micros_per_chip_hour', 'millionths of your currency', 'min and max', 'Price of an hour of the chip.');
-- Ratios: of jobs, SG and MPG are on what the job held.
INSERT INTO temp.mpg_meanings VALUES
(NULL, 'SG', 'ratio', '1.0 * sum(allocated_us) / sum(capacity_us)', 'Scheduling goodput: allocated of capacity.'),
(NULL, 'RG', 'ratio', '1.0 * sum(productive_us) / sum(allocated_us - untraced_us)', 'Runtime goodput: productive of what is traced.'),
(NULL, 'PG', 'ratio', '1.0 * sum(ideal_us) / sum(productive_us - unrated_us)', 'Program goodput: ideal of what is rated.'),
(NULL, 'MPG', 'ratio', 'CASE WHEN sum(untraced_us) = 0 AND sum(unrated_us) = 0 THEN 1.0 * sum(ideal_us) / sum(capacity_us) END',
 'ML Productivity Goodput: ideal of capacity; NULL while anything is untraced or unrated.'),
(NULL, 'MPG_lower', 'ratio',
 'CASE WHEN sum(ideal_us) <> 0 OR sum(untraced_us) = 0 AND sum(unrated_us) = 0 THEN 1.0 * sum(ideal_us) / sum(capacity_us) END',
 'The least that MPG can be: what is untraced or unrated counts as nothing; NULL where that leaves nothing.'),
(NULL, 'traced', 'ratio', '1.0 * sum(allocated_us - untraced_us) / sum(allocated_us)',
 'How much of what is allocated has runtime records.'),
(NULL, 'rated', 'ratio', '1.0 * sum(productive_us - unrated_us) / sum(productive_us)',
 'How much of what is productive has known FLOPs and a known chip.'),
('job_sums', 'SG', 'ratio', '1.0 * sum(allocated_us) / sum(allocated_us + partial_us)', 'Scheduling goodput on the job''s own basis.'),
('job_sums', 'MPG', 'ratio',
 'CASE WHEN sum(untraced_us) = 0 AND sum(unrated_us) = 0 THEN 1.0 * sum(ideal_us) / sum(allocated_us + partial_us) END',
 'ML Productivity Goodput on the job''s own basis; NULL while anything is untraced or unrated.'),
('job_sums', 'MPG_lower', 'ratio',
 'CASE WHEN sum(ideal_us) <> 0 OR sum(untraced_us) = 0 AND sum(unrated_us) = 0 THEN 1.0 * sum(ideal_us) / sum(allocated_us + partial_us) END',
 'The least that MPG can be on the job''s own basis; NULL where nothing of it is known.');
INSERT INTO temp.mpg_meanings
SELECT 'goodput_by_job', column_name, unit, adds_up, meaning FROM temp.mpg_meanings WHERE table_name = 'job_sums' AND unit = 'ratio';

CREATE TEMP TABLE IF NOT EXISTS mpg_own(table_name TEXT, column_name TEXT); -- columns that users added: mpg_build says which
DELETE FROM temp.mpg_own WHERE table_name = 'ledger' AND column_name IN (SELECT name FROM pragma_table_xinfo('cells', 'main')); -- labels now
INSERT INTO main.mpg_columns
SELECT t.name, c.name, c.type, coalesce(own.unit, every.unit),
       coalesce(own.meaning, every.meaning, iif(u.table_name IS NULL, 'The job''s label ' || c.name || '.', 'A column of your own.')),
       coalesce(own.adds_up, every.adds_up, 'group')
FROM main.sqlite_schema AS t, pragma_table_xinfo(t.name, 'main') AS c
LEFT JOIN temp.mpg_own AS u ON u.table_name = t.name AND u.column_name = c.name
LEFT JOIN temp.mpg_meanings AS own ON own.table_name = t.name AND own.column_name = c.name AND u.table_name IS NULL
LEFT JOIN temp.mpg_meanings AS every ON every.table_name IS NULL AND every.column_name = c.name AND u.table_name IS NULL
WHERE t.type IN ('table', 'view') AND t.name IN (SELECT table_name FROM temp.mpg_meanings WHERE column_name IS NULL)
ORDER BY t.name, c.cid;
INSERT INTO main.mpg_columns
SELECT t.name, NULL, upper(t.type), NULL, m.meaning, NULL
FROM main.sqlite_schema AS t JOIN temp.mpg_meanings AS m ON m.table_name = t.name AND m.column_name IS NULL
WHERE t.type IN ('table', 'view');
DROP TABLE temp.mpg_meanings;
DROP TABLE temp.mpg_own;
