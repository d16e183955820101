-- One shard's task: prints SQL that puts its states into the tables of merge.sql. docs/shards.md has the whole recipe.
--
-- Parameters (sqlite3's .parameter, or a client's binding):
--   :shard   its name, once in the fleet
--   :path    its trace files: the records of its jobs, and the capacity records of the pools
--   :basis   'shard', or in the one task that reads the capacity and outages alone, 'installed'
--   :as_of   the end of the trace, the same for every task
--   :bucket  the width of buckets, or NULL
--
-- Output: the states; the jobs, to see that none is in two shards; what mpg_issues lists; and last, how many rows that
-- was, to see that nothing was cut off, and :as_of, to see that it was the same.
CREATE TEMP TABLE cell AS
  SELECT pool, chip, phase, framework, size, bucket, goodput_state(category, chip_us) AS state
  FROM trace_rollup(:path)
  WHERE basis = :basis AND as_of = :as_of AND bucket_width = :bucket
  GROUP BY pool, chip, phase, framework, size, bucket;
CREATE TEMP TABLE part AS
  SELECT DISTINCT job FROM trace_rollup(:path) WHERE basis = :basis AND as_of = :as_of AND job IS NOT NULL;

SELECT 'BEGIN;';
SELECT 'INSERT INTO shard_states VALUES(' || quote(:shard) || ',' || quote(pool) || ',' || quote(chip) || ',' || quote(phase) || ','
       || quote(framework) || ',' || quote(size) || ',' || quote(bucket) || ',' || quote(state) || ');'
FROM cell;
SELECT 'INSERT INTO shard_jobs VALUES(' || quote(job) || ',' || quote(:shard) || ');' FROM part;
SELECT 'INSERT INTO shard_issues VALUES(' || quote(:shard) || ',' || quote(severity) || ',' || quote(kind) || ',' || quote(source) || ','
       || quote(line) || ',' || quote(count) || ',' || quote(detail) || ');'
FROM mpg_issues;
SELECT 'INSERT INTO shard_done VALUES(' || quote(:shard) || ',' || (SELECT count(*) FROM cell) || ',' || (SELECT count(*) FROM part) || ','
         || quote(:as_of) || ');';
SELECT 'COMMIT;';
