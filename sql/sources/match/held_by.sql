-- match/held_by.sql - when jobs held chips, indexed so that the jobs of one moment are found without looking at all others.
--
-- A part that by_time.sql's parts read. asked(who, job) names the jobs that each log, or each group of logs, may be of. This part makes
-- held from it, and drops it.

-- longest: a bound on how long a job held its chips. A job that held some at a time began no longer than that before it. latest: the last
-- end of this job and those that began before it.
CREATE TABLE held AS
SELECT who, job, row, since, until, max(until) OVER (PARTITION BY who ORDER BY since) AS latest,
       CASE WHEN until > 9e17 THEN 9e18 WHEN until - since <= 60 THEN 60 WHEN until - since <= 240 THEN 240
            WHEN until - since <= 960 THEN 960 WHEN until - since <= 3840 THEN 3840 WHEN until - since <= 15360 THEN 15360
            WHEN until - since <= 61440 THEN 61440 WHEN until - since <= 245760 THEN 245760
            WHEN until - since <= 983040 THEN 983040 ELSE 9e18 END AS longest
FROM (SELECT q.who, a.job, a.rowid AS row, a.start_time AS since, coalesce(a.end_time, 9e18) AS until
      FROM asked AS q JOIN all_allocations AS a ON a.job = q.job
      WHERE a.chips > 0 AND a.source IN (SELECT source FROM source WHERE rank = 1) AND typeof(a.start_time) IN ('integer', 'real'));
CREATE INDEX held_of ON held(who, longest, since);
DROP TABLE asked;
