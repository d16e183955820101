-- log/on_hosts.sql - which job held the hosts that names of logs have, and when.
--
-- Reads held_on(job, hosts, start_time, end_time), a view of attempts with the JSON array of their hosts, and log_names(path), which
-- trace_rollup and its like have of the logs beside, and of the hosts that their texts name: if none has a word that is like one of the
-- first hosts but for its digits, nothing is looked up. An element may stand for several hosts, whose numbers follow each other:
-- "node[008-112]". Fills hosts(host, job, start_time, end_time) with hosts by their short names. A part of the scripts of schedulers.

CREATE TEMP TABLE IF NOT EXISTS log_names(path TEXT);
CREATE TEMP TABLE IF NOT EXISTS hosts(host, job, start_time, end_time);
--@ if EXISTS (SELECT 1 FROM log_names)
DROP TABLE IF EXISTS temp.asked_hosts;
CREATE TEMP TABLE asked_hosts AS
WITH RECURSIVE stem AS MATERIALIZED (
  SELECT DISTINCT rtrim(substr(h.value, 1, instr(replace(h.value, '[', '.') || '.', '.') - 1), '0123456789') AS stem
  FROM (SELECT 1 FROM log_names LIMIT 1) CROSS JOIN (SELECT hosts FROM held_on WHERE hosts IS NOT NULL LIMIT 500)
  CROSS JOIN json_each(hosts) AS h WHERE h.value GLOB '*[A-Za-z]*'
),
word(word) AS ( -- what stands between "/", "." and "_", and parts of it from one "-" to another
  SELECT w.value
  FROM (SELECT 1 FROM stem JOIN log_names ON stem <> '' AND instr(path, stem) LIMIT 1) CROSS JOIN log_names AS p
  CROSS JOIN json_each('[' || replace(replace(replace(json_quote(p.path), '/', '","'), '.', '","'), '_', '","') || ']') AS w
  UNION
  SELECT substr(word, instr(word, '-') + 1) FROM word WHERE instr(word, '-')
  UNION
  SELECT substr(word, 1, length(rtrim(word, replace(word, '-', ''))) - 1) FROM word WHERE instr(word, '-') > 1
)
SELECT word FROM word WHERE rtrim(word, '0123456789') IN (SELECT stem FROM stem) AND word GLOB '*[^0-9]*';
--@ if EXISTS (SELECT 1 FROM asked_hosts)
INSERT INTO hosts(host, job, start_time, end_time)
SELECT substr(h.value, 1, instr(h.value || '.', '.') - 1) AS host, job, start_time, end_time
FROM (SELECT 1 FROM asked_hosts LIMIT 1) CROSS JOIN held_on AS a CROSS JOIN json_each(a.hosts) AS h
WHERE host IN (SELECT word FROM asked_hosts) AND a.start_time IS NOT NULL;
INSERT INTO hosts(host, job, start_time, end_time)
WITH several AS MATERIALIZED ( -- hosts of a range
  SELECT DISTINCT h.value AS element, substr(h.value, 1, instr(h.value, '[') - 1) AS head, instr(h.value, '[') AS at,
         rtrim(substr(h.value, instr(h.value, '[') + 1), ']') AS range
  FROM (SELECT 1 FROM asked_hosts LIMIT 1) CROSS JOIN held_on AS a CROSS JOIN json_each(a.hosts) AS h
  WHERE a.hosts GLOB '?*[[]*' AND h.value GLOB '*[[][0-9]*'
),
edges AS (SELECT *, substr(range, 1, instr(range || '-', '-') - 1) AS first,
                 CAST(substr(range, instr(range, '-') + 1) AS INTEGER) AS last FROM several),
meant AS MATERIALIZED (
  SELECT e.element, w.word
  FROM asked_hosts AS w JOIN edges AS e ON substr(w.word, 1, at - 1) = head
  WHERE CAST(substr(w.word, at) AS INTEGER) BETWEEN CAST(first AS INTEGER) AND last
    AND substr(w.word, at) = printf('%0*d', length(first), CAST(substr(w.word, at) AS INTEGER))
)
SELECT m.word, a.job, a.start_time, a.end_time
FROM (SELECT 1 FROM meant LIMIT 1) CROSS JOIN held_on AS a CROSS JOIN json_each(a.hosts) AS h JOIN meant AS m ON m.element = h.value
WHERE a.hosts GLOB '?*[[]*' AND a.start_time IS NOT NULL;
--@ end
DROP TABLE asked_hosts;
--@ end
DROP VIEW held_on;
