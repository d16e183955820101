-- Where the states of shards come together. docs/shards.md has the whole recipe.
--
--   shards         the names that are expected: INSERT them first
--   shard_states   what the tasks of task.sql print goes into these four
--   shard_jobs
--   shard_issues
--   shard_done
--   shard_check    a row for everything that would make the sum wrong; empty where all is well
--   fleet_states   the merged states; they are refused while shard_check has rows, and while there are any, so is what comes
--                  late: DELETE FROM fleet_states, and merge again
CREATE TABLE shards(shard TEXT NOT NULL PRIMARY KEY);
CREATE TABLE shard_states(
  shard TEXT NOT NULL, pool TEXT, chip TEXT, phase TEXT, framework TEXT, size TEXT, bucket TEXT, state BLOB NOT NULL);
CREATE UNIQUE INDEX shard_states_once ON shard_states(
  shard, ifnull(pool, ''), ifnull(chip, ''), ifnull(phase, ''), ifnull(framework, ''), ifnull(size, ''), ifnull(bucket, ''));
CREATE TABLE shard_jobs(job TEXT NOT NULL, shard TEXT NOT NULL, PRIMARY KEY(job, shard)) WITHOUT ROWID;
CREATE INDEX shard_jobs_of ON shard_jobs(shard);
CREATE TABLE shard_issues(shard TEXT NOT NULL, severity TEXT, kind TEXT, source TEXT, line BIGINT, count BIGINT, detail TEXT);
CREATE TABLE shard_done(shard TEXT NOT NULL PRIMARY KEY, states BIGINT NOT NULL, jobs BIGINT NOT NULL, as_of TEXT);

CREATE VIEW shard_check AS
  SELECT 'missing_shard' AS kind, shard, 'no task of this name has come to its end' AS detail
  FROM shards WHERE shard NOT IN (SELECT shard FROM shard_done)
UNION ALL
  SELECT 'unexpected_shard', shard, 'not among the shards'
  FROM (SELECT shard FROM shard_states UNION SELECT shard FROM shard_jobs UNION SELECT shard FROM shard_done)
  WHERE shard NOT IN (SELECT shard FROM shards)
UNION ALL
  SELECT 'short_shard', d.shard, 'it sent ' || d.states || ' states and ' || d.jobs || ' jobs, not all are here'
  FROM shard_done AS d
  WHERE d.states <> (SELECT count(*) FROM shard_states AS s WHERE s.shard = d.shard)
     OR d.jobs <> (SELECT count(*) FROM shard_jobs AS j WHERE j.shard = d.shard)
UNION ALL
  SELECT 'divided_job', min(shard), 'job ' || job || ' is in ' || count(*) || ' shards, the last of them ' || max(shard)
  FROM shard_jobs GROUP BY job HAVING count(*) > 1
UNION ALL
  SELECT 'lost_records', shard, kind || ': ' || detail
  FROM shard_issues WHERE severity = 'data_loss'
UNION ALL
  SELECT 'another_end', d.shard, 'its as_of is ' || quote(d.as_of) || ', that of most is ' || quote(m.as_of)
  FROM shard_done AS d, (SELECT as_of FROM shard_done GROUP BY as_of ORDER BY count(*) DESC, as_of DESC LIMIT 1) AS m
  WHERE d.as_of IS NOT m.as_of;

CREATE TABLE fleet_states(pool TEXT, chip TEXT, phase TEXT, framework TEXT, size TEXT, bucket TEXT, state BLOB NOT NULL);
-- SQLite has triggers for rows alone; the first row of a merge stands for all.
CREATE TRIGGER fleet_states_whole BEFORE INSERT ON fleet_states
WHEN NOT EXISTS (SELECT 1 FROM fleet_states) AND EXISTS (SELECT 1 FROM shard_check) BEGIN
  SELECT raise(ABORT, 'shards are missing, cut short or overlap: SELECT * FROM shard_check');
END;
CREATE TRIGGER shards_late BEFORE INSERT ON shards WHEN EXISTS (SELECT 1 FROM fleet_states) BEGIN
  SELECT raise(ABORT, 'fleet_states has been merged without it: DELETE FROM fleet_states first');
END;
CREATE TRIGGER shard_states_late BEFORE INSERT ON shard_states WHEN EXISTS (SELECT 1 FROM fleet_states) BEGIN
  SELECT raise(ABORT, 'fleet_states has been merged without it: DELETE FROM fleet_states first');
END;
CREATE TRIGGER shard_jobs_late BEFORE INSERT ON shard_jobs WHEN EXISTS (SELECT 1 FROM fleet_states) BEGIN
  SELECT raise(ABORT, 'fleet_states has been merged without it: DELETE FROM fleet_states first');
END;
CREATE TRIGGER shard_done_late BEFORE INSERT ON shard_done WHEN EXISTS (SELECT 1 FROM fleet_states) BEGIN
  SELECT raise(ABORT, 'fleet_states has been merged without it: DELETE FROM fleet_states first');
END;
