-- kineto/merged.sql - the files that somebody merged of several processes: which events are of which.
--
-- Reads kineto_events, kineto_files and kineto_left_out. Makes kineto_each, the groups of events, and kineto_labels, what each
-- process of a merged file is called. A part of kineto.sql.

-- Most tools label: '[R0] 70' is process 70 of what is labelled [R0]. Without labels the call of its correlation says whose
-- an event of a device is: '[70] 0' is device 0 of process 70.
DROP TABLE IF EXISTS temp.kineto_each;
CREATE TEMP TABLE kineto_each AS
SELECT *, cat IN ('kernel', 'concurrent_kernel', 'npu_task', 'gpu_memcpy', 'memcpy', 'gpu_memset', 'memset', 'cuda_sync',
                  'mtia_ccp_events') AS is_device,
       cat IN ('runtime', 'driver') OR cat GLOB '*_runtime' OR cat GLOB '*_driver' AS is_call, cat IN ('cpu_op', 'operator') AS is_operator
FROM (SELECT DISTINCT trace, cat, pid, tid FROM kineto_events);
DROP TABLE IF EXISTS temp.kineto_unlabelled;
CREATE TEMP TABLE kineto_unlabelled AS
SELECT trace FROM kineto_each WHERE is_call AND pid IS NOT NULL
GROUP BY trace HAVING count(DISTINCT pid) > 1 AND max(pid GLOB '[[]*] *') = 0;

DROP TABLE IF EXISTS temp.kineto_callers;
CREATE TEMP TABLE kineto_callers(trace, correlation, pid, start_ns);
INSERT INTO kineto_callers
SELECT e.trace, e.correlation, e.pid, e.start_ns
FROM kineto_unlabelled AS u CROSS JOIN kineto_each AS g ON g.trace = u.trace AND g.is_call AND g.pid IS NOT NULL
JOIN kineto_events AS e ON e.trace = g.trace AND e.cat = g.cat AND e.pid = g.pid AND e.tid IS g.tid
WHERE e.correlation IS NOT NULL;
CREATE INDEX temp.kineto_caller ON kineto_callers(trace, correlation, start_ns);
DROP TABLE IF EXISTS temp.kineto_whose;
CREATE TEMP TABLE kineto_whose AS
SELECT e.rowid AS id, e.trace, e.name,
       (SELECT count(DISTINCT c.pid) FROM kineto_callers AS c WHERE c.trace = e.trace AND c.correlation = e.correlation) AS n,
       coalesce((SELECT c.pid FROM kineto_callers AS c
                 WHERE c.trace = e.trace AND c.correlation = e.correlation AND c.start_ns <= e.start_ns ORDER BY c.start_ns DESC LIMIT 1),
                (SELECT c.pid FROM kineto_callers AS c WHERE c.trace = e.trace AND c.correlation = e.correlation
                 ORDER BY c.start_ns LIMIT 1)) AS pid
FROM kineto_unlabelled AS u CROSS JOIN kineto_each AS g ON g.trace = u.trace AND g.is_device
JOIN kineto_events AS e ON e.trace = g.trace AND e.cat = g.cat AND e.pid IS g.pid AND e.tid IS g.tid;
-- Processes of which one alone has started what a device did are no ranks.
DELETE FROM kineto_unlabelled WHERE trace NOT IN (SELECT trace FROM kineto_whose GROUP BY trace HAVING count(DISTINCT pid) > 1);
DELETE FROM kineto_whose WHERE trace NOT IN (SELECT trace FROM kineto_unlabelled);
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'conflict', count(*),
       'activities whose correlation is that of calls of several processes: the latest before counts; the first is "' || min(name) || '"'
FROM kineto_whose WHERE n > 1 GROUP BY trace;
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'missing_field', count(*),
       'activities without a call, in a file of several processes: they are of a device of their own; the first is "' || min(name) || '"'
FROM kineto_whose WHERE n = 0 GROUP BY trace;
INSERT INTO kineto_each
SELECT DISTINCT e.trace, e.cat, '[' || w.pid || '] ' || coalesce(e.pid, ''), e.tid, 1, 0, 0
FROM kineto_whose AS w CROSS JOIN kineto_events AS e ON e.rowid = w.id WHERE w.pid IS NOT NULL;
UPDATE kineto_events SET pid = '[' || w.pid || '] ' || coalesce(kineto_events.pid, '')
FROM kineto_whose AS w WHERE w.id = kineto_events.rowid AND w.pid IS NOT NULL;
DROP TABLE kineto_whose;
DROP TABLE kineto_callers;

-- Of each label the rank, if it says one: [R0], [rank 0], [Rank: 0]. distributedInfo is that of one of the merged files.
ALTER TABLE kineto_each ADD COLUMN label_name;
UPDATE kineto_each SET label_name =
  CASE WHEN pid GLOB '[[]*] *' THEN substr(pid, 1, instr(pid, ']'))
       WHEN NOT is_device AND pid IS NOT NULL AND cat <> 'gpu_user_annotation'
         AND trace IN (SELECT trace FROM kineto_unlabelled) THEN '[' || pid || ']' ELSE '' END;
DROP TABLE IF EXISTS temp.kineto_labels;
CREATE TEMP TABLE kineto_labels AS
WITH labels AS (SELECT DISTINCT trace, label_name, rtrim(ltrim(lower(label_name), '[rank :_-#='), ']') AS number FROM kineto_each),
several AS MATERIALIZED (SELECT trace FROM kineto_each WHERE label_name <> '' GROUP BY trace HAVING count(DISTINCT label_name) > 1)
SELECT l.trace, l.label_name, l.trace IN (SELECT trace FROM several) AS is_merged,
       CASE WHEN l.trace NOT IN (SELECT trace FROM several) THEN f.rank
            WHEN lower(label_name) GLOB '[[]r*' AND number <> '' AND number NOT GLOB '*[^0-9]*' THEN CAST(number AS INTEGER) END AS rank
FROM labels AS l JOIN kineto_files AS f USING (trace);
UPDATE device_traces SET rank = NULL WHERE trace IN (SELECT trace FROM kineto_labels WHERE is_merged);
DROP TABLE kineto_unlabelled;
