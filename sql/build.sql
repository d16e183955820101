-- build.sql - a fleet's records and its ledger as plain tables, for tools that cannot load extensions.
--
--     sqlite3 -bail -cmd '.load ./mpg' -cmd '.param set :trace fixtures/fleet' fleet.db <sql/build.sql
--
-- Run it again after new files: it adds what is new, once, in one transaction. Each record has an id
-- made of what it says (a hash), so records that were there before change nothing; a record that
-- tells the end of what was open before takes its place; records of the same job or program are merged.
-- The ledger and the tables made from it are then made anew, since new records may decide the fate of
-- old steps. (Of large files mpg_build makes only the rows that change.) Afterwards nothing here needs
-- the extension: Grafana, Metabase, Excel and others read fleet.db as it is. It runs from every client,
-- as a script of statements and nothing else.
--
-- Inputs: :trace, a file, a glob or a folder of native traces (docs/formats/native.md); and the TEMP
-- tables jobs, allocations, ... that a script of sql/formats has just made, which are dropped at the
-- end. Where parameters cannot be bound, and for what shall last, there is a table to fill before:
--
--     CREATE TABLE IF NOT EXISTS mpg_config(name TEXT PRIMARY KEY, value TEXT);
--     INSERT INTO mpg_config VALUES ('trace', 'logs/'), ('offset', '+02:00');
--
--     trace      as :trace, which wins and is not kept
--     offset     of the clocks that hours and days are counted by, from UTC: '+02:00'
--     as_of      the end of the trace; the latest time in any record unless given
--     sizes      chips from which a job is M, L, XL: '16,256,2048'
--     basis      'installed', or 'in_service': capacity without what is down
--     roofline   'compute', or 'memory'
--     labels     keys of labels that are columns of the ledger, 'tier,project' (by mpg_build alone)
--
-- Columns, indexes and triggers that users add to tables which are made anew stay where mpg_build does it, and are lost to this script.
--
-- The tables and views are described in docs/questions.md, and in the comments here. Times named _us
-- are microseconds since 1970, chip-time named _us is chip-microseconds: both integers, summed exactly.
-- Beside them stand generated columns for tools, which take no room in the file: times as the ISO text
-- that tools' literals compare with, and chip-hours as reals, which fit clients with 32-bit integers.
-- Every column has a declared type, and views select columns alone, so that drivers report types.

BEGIN IMMEDIATE;
--@ part begun

.read sql/build/records.sql
.read sql/build/same.sql
.read sql/build/clusters.sql
.read sql/build/kept_logs.sql
.read sql/build/renamed.sql
.read sql/build/older.sql
.read sql/build/outages.sql
.read sql/build/windows.sql
.read sql/build/retold.sql
.read sql/build/replaced.sql
.read sql/build/conflicts.sql
.read sql/build/submitted.sql
.read sql/build/pieces.sql
.read sql/build/unmatched.sql
.read sql/build/commits.sql
.read sql/build/added.sql
.read sql/build/ended.sql
.read sql/build/ledger.sql

-- ---- 4. Views of columns alone, whose types drivers report, generated columns too ----

--@ part views
DROP VIEW IF EXISTS main.cells;
CREATE VIEW cells AS
SELECT hour, day, week, month, time, pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size,
       priority, team, category, cause, chip_us, chip_hours,
       capacity_us, allocated_us, partial_us, untraced_us, productive_us, unrated_us, ideal_us, queued_us,
       capacity_chip_hours, allocated_chip_hours, partial_chip_hours, untraced_chip_hours,
       productive_chip_hours, unrated_chip_hours, ideal_chip_hours, queued_chip_hours
FROM ledger;

DROP VIEW IF EXISTS main.goodput_by_day;
CREATE VIEW goodput_by_day AS
SELECT day, capacity_chip_hours, SG, RG, PG, MPG, MPG_lower, traced, rated FROM day_sums;

DROP VIEW IF EXISTS main.goodput_by_pool;
CREATE VIEW goodput_by_pool AS
SELECT pool, chip, capacity_chip_hours, SG, RG, PG, MPG, MPG_lower, traced, rated FROM pool_sums;

DROP VIEW IF EXISTS main.goodput_by_job;
CREATE VIEW goodput_by_job AS
SELECT job, name, owner, phase, framework, runtime, model, size, team, held_chip_hours, SG, RG, PG, MPG,
       lost_chip_hours, queued_chip_hours, MPG_lower, traced, rated
FROM job_sums;

--@ part end
COMMIT;
