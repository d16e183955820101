-- match/same_names.sql - logs whose names are those of several jobs: which these are is asked once of all logs with the same names.
--
-- A part of match.sql, which reads it twice, after it has made named_as(file, name, place), the names of each log, and
-- shared_name(name, job), the jobs of each name: fills same_names and candidate, and drops both. Each such log is a candidate without a
-- job, so that it counts as one. Of its names the nearest count alone, as of other candidates.

DELETE FROM named_as WHERE rowid IN (SELECT nth FROM (SELECT rowid AS nth, place > min(place) OVER (PARTITION BY file) AS is_farther
                                                      FROM named_as) WHERE is_farther);
INSERT INTO same_names
SELECT file, -min(file) OVER (PARTITION BY names)
FROM (SELECT file, json_group_array(place || ' ' || name) AS names FROM (SELECT * FROM named_as ORDER BY file, place, name) GROUP BY file);
INSERT INTO candidate
SELECT a.as_file, s.job, '', 1, n.place
FROM (SELECT DISTINCT as_file FROM same_names WHERE file IN (SELECT file FROM named_as)) AS a
CROSS JOIN named_as AS n ON n.file = -a.as_file CROSS JOIN shared_name AS s ON s.name = n.name;
INSERT INTO candidate(file) SELECT DISTINCT file FROM named_as;
DROP TABLE named_as;
DROP TABLE shared_name;
